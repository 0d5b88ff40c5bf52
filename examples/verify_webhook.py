"""Verifies a webhook. WEBHOOK_SECRET=whsec_... python3 verify_webhook.py "$signature_digest" < body.json"""
import base64, hashlib, hmac, json, os, sys, time


def verify(body: bytes, headers, secret: str, tolerance: int = 300) -> dict:
    """Returns the content of the event. Raises ValueError if it is not signed or too old: return 400 then."""
    content = verify_digest(body, headers.get("signature-digest", ""), secret)
    # webhook-signature also covers the time of the attempt, so that a captured request cannot be replayed.
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signature = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(signature).decode()
    given = headers.get("webhook-signature", "").split()
    if not any([hmac.compare_digest(expected.encode(), value.encode()) for value in given]):
        raise ValueError("webhook-signature is missing or was not made with this secret")
    if content["id"] != id or abs(time.time() - int(timestamp)) > tolerance:
        raise ValueError("webhook-id does not match, or webhook-timestamp is too old: this may be a replay")
    return content


def verify_digest(body: bytes, signature_digest: str, secret: str) -> dict:
    """Returns the content of the event. Verifies only signature-digest, which has no replay protection."""
    event = json.loads(body)
    data = event.get("data") if isinstance(event, dict) else None
    elements = [element.strip().partition("=") for element in signature_digest.split(",")]
    times = [value for label, _, value in elements if label == "t"]
    if not isinstance(data, str) or len(times) != 1 or not secret.startswith("whsec_"):
        raise ValueError("not a Switchyard webhook, or not a webhook secret")
    # data is a string. Exactly these characters are signed, so use only values from it.
    expected = hmac.new(secret.encode(), f"{times[0]}.{data}".encode(), hashlib.sha256).hexdigest()
    given = [value for label, _, value in elements if label == "v1"]  # one for every active secret
    if not any([hmac.compare_digest(expected.encode(), value.encode()) for value in given]):
        raise ValueError("no signature was made with this secret")
    return json.loads(data)


if __name__ == "__main__":
    content = verify_digest(sys.stdin.buffer.read(), sys.argv[1], os.environ["WEBHOOK_SECRET"])
    print(content["type"], content["id"])
