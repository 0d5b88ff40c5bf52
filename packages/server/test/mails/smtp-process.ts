// An SMTP server in a process that can be killed: `node smtp-process.ts <port> <file>`. It appends the message id and the
// recipients of each accepted message to the file before it responds, so a kill can lose responses, but never
// records.

import { appendFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { serveSmtp } from '../support/smtp.ts'

const [port = '0', file = ''] = process.argv.slice(2)

const server = createServer((socket) =>
  serveSmtp(socket, {
    record: ({ head, to }) => {
      const [, id = ''] = /^Message-ID: <(.+)@/im.exec(head) ?? []
      appendFileSync(file, `${id} ${to.join(',')}\n`)
    },
    rejected: () => null,
    dropsResponses: () => false,
  }),
)
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') process.stdout.write(`${address?.port}\n`)
})
