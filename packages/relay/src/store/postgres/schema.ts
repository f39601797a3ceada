/** The tables in PostgreSQL, as migration steps. A released step never changes; new ones are appended. */

/** Schema of the tables. */
export const schema = 'newsletter_relay';

/** Table of the rate limit counters. */
export const counterTable = 'counter';

/** Hashes, identifiers and times sort by their bytes, as in every other store. */
const bytes = 'COLLATE "C"';

/** Schema of pg-boss, whose queue versions 1 and 2 used beside the table. */
const queueSchema = 'newsletter_relay_queue';

/** Step n brings the tables from version n to version n + 1. */
export const steps: readonly string[] = [
  `
  CREATE TABLE ${schema}.signup (
    id uuid PRIMARY KEY,
    form text NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'review', 'delivered', 'dead')),
    received_at bigint NOT NULL,
    origin text,
    submission text,
    intent text ${bytes},
    content text ${bytes},
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at bigint,
    settled_at bigint,
    last_error text
  );
  CREATE INDEX signup_by_intent ON ${schema}.signup (intent) WHERE intent IS NOT NULL;
  CREATE INDEX signup_by_content ON ${schema}.signup (content, received_at) WHERE content IS NOT NULL;
  CREATE INDEX signup_open ON ${schema}.signup (state, id) WHERE state <> 'delivered';
  CREATE INDEX signup_to_erase ON ${schema}.signup (settled_at) WHERE state = 'delivered' AND submission IS NOT NULL;
  `,
  // As rate-limiter-flexible wants it. Not in the write-ahead log: a counter is not worth a sync.
  `CREATE UNLOGGED TABLE ${schema}.${counterTable} (key varchar(255) PRIMARY KEY, points integer NOT NULL DEFAULT 0, expire bigint)`,
  // The row is the one record: attempts and batches are written down before they are made; consent has a ledger of its
  // own. The delivered, of which there may be millions, are read once, to count them, and not rewritten.
  `
  ALTER TABLE ${schema}.signup
    ADD COLUMN needs_confirmation boolean NOT NULL DEFAULT false,
    ADD COLUMN tried boolean NOT NULL DEFAULT false,
    ADD COLUMN batch uuid,
    ADD COLUMN trace text,
    DROP CONSTRAINT signup_state_check,
    ADD CONSTRAINT signup_state_check CHECK (state IN ('unconfirmed', 'review', 'waiting', 'sent', 'delivered', 'dead'));
  UPDATE ${schema}.signup SET tried = attempts > 0,
      next_attempt_at = CASE WHEN state <> 'waiting' THEN NULL WHEN attempts = 0 THEN 0 ELSE next_attempt_at END
    WHERE state <> 'delivered';
  DO $$ BEGIN
    IF to_regclass('${queueSchema}.job') IS NOT NULL THEN
      -- Claimed by a relay that was killed: the attempt may have reached the API.
      UPDATE ${schema}.signup SET tried = true, next_attempt_at = received_at
        WHERE state = 'waiting' AND id IN (SELECT id FROM ${queueSchema}.job WHERE state = 'active');
      DROP SCHEMA ${queueSchema} CASCADE;
    END IF;
  END $$;
  DROP INDEX ${schema}.signup_by_intent, ${schema}.signup_by_content, ${schema}.signup_open;
  CREATE INDEX signup_by_content ON ${schema}.signup (content) WHERE content IS NOT NULL;
  CREATE INDEX signup_due ON ${schema}.signup (form, state, next_attempt_at, received_at) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX signup_open ON ${schema}.signup (state, id, form, received_at) WHERE state <> 'delivered';
  -- Nearly all signups of a form may be delivered: what is not is rarer than form and state each for itself suggest.
  CREATE STATISTICS ${schema}.signup_form_state (mcv) ON form, state FROM ${schema}.signup;
  CREATE INDEX signup_in_batch ON ${schema}.signup (batch) WHERE batch IS NOT NULL;

  CREATE TABLE ${schema}.batch (id uuid PRIMARY KEY, publication text NOT NULL, claimed_at bigint NOT NULL, sent_at bigint);
  CREATE INDEX batch_of_publication ON ${schema}.batch (publication, claimed_at, id);

  CREATE TABLE ${schema}.walk (publication text PRIMARY KEY, place text, holder uuid NOT NULL, held_until bigint NOT NULL);

  CREATE TABLE ${schema}.consent (
    signup uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('given', 'confirmed')),
    at bigint NOT NULL,
    form text NOT NULL,
    person text ${bytes} NOT NULL,
    sentence text,
    version text,
    page text,
    visitor text,
    PRIMARY KEY (signup, kind)
  );
  CREATE INDEX consent_by_person ON ${schema}.consent (person);
  CREATE FUNCTION ${schema}.refuse_update() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'the consent ledger is append-only'; END $$;
  CREATE TRIGGER consent_is_append_only BEFORE UPDATE ON ${schema}.consent EXECUTE FUNCTION ${schema}.refuse_update();

  INSERT INTO ${schema}.setting (name, value) SELECT 'delivered', count(*) FROM ${schema}.signup WHERE state = 'delivered';
  `,
];
