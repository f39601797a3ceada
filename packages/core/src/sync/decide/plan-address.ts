/** Plans the address of a pair: one that changed in the newsletter is written to the contact. Pure. */
import { addressKey, isAddress } from '../../signup/address.ts';
import { addressFingerprint, type Pair, type ReadyMapping } from '../mapping/prepare-mapping.ts';
import type { FieldChange } from '../report/changes.ts';
import type { PairFindings } from '../report/findings.ts';

interface AddressPlan {
  /** What the token remembers. */
  readonly fingerprint: number;
  /** The address to write to the contact. */
  readonly changes: readonly FieldChange[];
}

export function planAddress(
  { subscription, contact, base }: Pair,
  mapping: ReadyMapping,
  findings: PairFindings,
  { valuesWait, isFurther }: { readonly valuesWait: boolean; readonly isFurther: boolean },
): AddressPlan {
  const { email } = subscription;
  const here = addressFingerprint(mapping, email);
  if (!base) return { fingerprint: here, changes: [] };
  if (valuesWait) return { fingerprint: base.address, changes: [] };
  if (isFurther || addressKey(contact.email) === addressKey(email)) return { fingerprint: here, changes: [] };
  // Reported where the contact came in.
  if (!isAddress(contact.email.trim())) return { fingerprint: base.address, changes: [] };
  const changedHere = here !== base.address;
  const changedThere = addressFingerprint(mapping, contact.email) !== base.address;
  if (changedHere && !changedThere && mapping.situations.addressChangedInNewsletter === 'write') {
    const change = { kind: 'update', side: 'crm', from: contact.email, to: email } as const;
    return { fingerprint: here, changes: [{ ...change, field: mapping.paths.email, reason: 'changed_in_newsletter' }] };
  }
  if (!changedHere) findings.add('address_changed_in_crm');
  else findings.add(changedThere ? 'address_changed_on_both_sides' : 'address_changed_in_newsletter');
  return { fingerprint: base.address, changes: [] };
}
