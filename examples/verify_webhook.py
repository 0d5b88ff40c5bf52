"""Verifies a webhook. WEBHOOK_SECRET=whsec_... python3 verify_webhook.py "$signature_digest" < body.json"""
import hashlib, hmac, json, os, sys


def verify(body: bytes, signature_digest: str, secret: str) -> dict:
    """The content of the event. ValueError if it is not signed with the secret: answer 400 then."""
    event = json.loads(body)
    data = event.get("data") if isinstance(event, dict) else None
    elements = [element.strip().partition("=") for element in signature_digest.split(",")]
    times = [value for label, _, value in elements if label == "t"]
    if not isinstance(data, str) or len(times) != 1 or not secret.startswith("whsec_"):
        raise ValueError("this is not a webhook of Switchyard, or not a secret")
    # data is a string: these very characters are signed, so trust only what is in them
    expected = hmac.new(secret.encode(), f"{times[0]}.{data}".encode(), hashlib.sha256).hexdigest()
    given = [value for label, _, value in elements if label == "v1"]  # one for every live secret
    if not any([hmac.compare_digest(expected.encode(), value.encode()) for value in given]):
        raise ValueError("no signature was made with this secret")
    return json.loads(data)


if __name__ == "__main__":
    content = verify(sys.stdin.buffer.read(), sys.argv[1], os.environ["WEBHOOK_SECRET"])
    print(content["type"], content["id"])
