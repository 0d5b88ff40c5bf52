"""Receives webhooks at http://127.0.0.1:4000. WEBHOOK_SECRET=whsec_... python3 receive_webhooks.py"""
import http.server, os
from verify_webhook import verify

secret = os.environ["WEBHOOK_SECRET"]
seen = set()  # event ids; in production, keep them in a table for 30 days


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        length = min(int(self.headers.get("content-length", 0)), 1_048_576)  # the maximum size of an event
        try:
            content = verify(self.rfile.read(length), self.headers, secret)
        except ValueError:
            return self.answer(400)
        if content["id"] not in seen:
            print(content["type"], content["object"]["id"], flush=True)  # if this raises, the event is sent again
            seen.add(content["id"])
        self.answer(200)

    def answer(self, status: int):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()


http.server.ThreadingHTTPServer(("127.0.0.1", 4000), Receiver).serve_forever()
