#!/bin/sh
# Verifies one webhook manually, with jq and openssl. Do not use it on a shared machine: other users can see the
# arguments of openssl, and so the secret. WEBHOOK_SECRET=whsec_... verify-webhook.sh "$signature_digest" body.json
set -euf
header=$1 body=$2 secret=${WEBHOOK_SECRET:?}
hmac() { openssl dgst -sha256 -hmac "$1" -r | cut -d ' ' -f 1; }
elements=$(printf '%s' "$header" | tr ',' '\n')
t=$(printf '%s\n' "$elements" | sed -n 's/^ *t=//p')
jq -es 'length == 1 and (.[0].data | type == "string")' "$body" > /dev/null
expected=$({ printf '%s.' "$t"; jq -j .data "$body"; } | hmac "$secret")
# Compares HMACs made with a random key, so that the duration of the comparison reveals nothing.
blind=$(openssl rand -hex 32)
wanted=$(printf '%s' "$expected" | hmac "$blind")
for given in $(printf '%s\n' "$elements" | sed -n 's/^ *v1=//p'); do
  [ "$(printf '%s' "$given" | hmac "$blind")" = "$wanted" ] && exec jq -r '.data | fromjson | "\(.type) \(.id)"' "$body"
done
echo 'no signature was made with this secret' >&2
exit 1
