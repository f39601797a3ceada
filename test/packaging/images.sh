#!/bin/sh
# Builds the images of relay and sandbox from a clone, as the documentation shows, starts them and checks them.
# Needs Docker, and port 4010 and 4020. Ends with 1 and the failed check.
set -eu
cd "$(dirname "$0")/../.."

fail() {
  echo "images.sh: $1" >&2
  exit 1
}

# Waits until a container is healthy, which its HEALTHCHECK decides; fails once it is unhealthy or has ended.
healthy() {
  while :; do
    state=$(docker inspect --format '{{.State.Status}} {{.State.Health.Status}}' "$1")
    case $state in
      "running healthy") return ;;
      "running starting") sleep 1 ;;
      *) docker logs "$1" && fail "$1 is $state." ;;
    esac
  done
}

# Not root, without build tools, sources or secrets.
contents() {
  [ "$(docker exec "$1" id -un)" = node ] || fail "$1 does not run as node."
  found=$(docker exec "$1" sh -c 'ls -d /source /app/src /app/test 2>&1 | grep -v "No such"; ls /app/node_modules/.pnpm | grep -E "^(typescript|vitest|vite|@types\+)"; find /app -name ".env*" -not -path "*/node_modules/*"' || true)
  [ -z "$found" ] || fail "$1 contains: $found"
}

# Ends a container by its STOPSIGNAL.
stopped() {
  docker stop --time 30 "$1"
  [ "$(docker inspect --format '{{.State.ExitCode}}' "$1")" = 0 ] || fail "$1 does not end with 0."
}

# A key beside the compose file stays out of the images.
secret=packages/relay/deploy/.env
[ -e "$secret" ] || { echo NEWSLETTER_API_KEY=secret > "$secret" && trap 'rm -f "$secret"' EXIT; }

docker build -t newsletter-relay -f packages/relay/deploy/Dockerfile .
cat > relay.env <<END
NEWSLETTER_API_URL=http://127.0.0.1:9/v2
NEWSLETTER_API_KEY=the-key
NEWSLETTER_PUBLICATION_ID=pub_00000000-0000-4000-8000-000000000001
RELAY_ALLOWED_ORIGINS=https://example.com
END
relay() {
  docker run -d --name newsletter-relay --init --env-file relay.env -p 127.0.0.1:4020:4020 -v newsletter-relay:/data newsletter-relay
  healthy newsletter-relay
}
relay
contents newsletter-relay
curl --fail --silent --show-error http://127.0.0.1:4020/readyz
curl --fail --silent --show-error --output /dev/null http://127.0.0.1:4020/signup-form.js
curl --fail --silent --show-error http://127.0.0.1:4020/signup -H 'Origin: https://example.com' \
  -H 'Content-Type: application/json' -d '{"email":"ada@example.com"}'
stopped newsletter-relay
docker rm newsletter-relay
# The volume keeps the signup.
relay
docker exec newsletter-relay newsletter-relay export | grep -q ada@example.com || fail 'the volume does not keep signups.'
docker rm --force --volumes newsletter-relay
docker volume rm newsletter-relay
rm relay.env

docker build -t newsletter-sandbox -f packages/sandbox/deploy/Dockerfile .
docker run -d --name newsletter-sandbox --init -p 127.0.0.1:4010:4010 -e SANDBOX_CONTROL_TOKEN=choose-one newsletter-sandbox
healthy newsletter-sandbox
contents newsletter-sandbox
curl --fail --silent --show-error --output /dev/null -H 'Authorization: Bearer sandbox-key' \
  'http://127.0.0.1:4010/v2/publications/pub_00000000-0000-4000-8000-000000000001/subscriptions?limit=1'
[ "$(curl --silent --output /dev/null --write-out '%{http_code}' http://127.0.0.1:4010/_sandbox/requests)" = 401 ] ||
  fail 'the control of the sandbox needs no token.'
stopped newsletter-sandbox
docker rm newsletter-sandbox
echo 'Both images work.'
