// A small SMTP server for tests. It records accepted mails, and can reject a recipient.

import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll } from 'vitest'

type ReceivedMail = { from: string; to: string[]; head: string; text: string }

export async function mailServerForThisFile() {
  const received: ReceivedMail[] = []
  let rejected: string | null = null
  const server = createServer((socket) => serve(socket, { received, rejected: () => rejected }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => server.close())

  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: (): readonly ReceivedMail[] => received,
    /** Rejects mails to this address until the next call. */
    refuse(address: string | null): void {
      rejected = address
    },
  }
}

type MailServerState = { readonly received: ReceivedMail[]; readonly rejected: () => string | null }
type IncomingMail = { from: string; to: string[]; lines: string[] | null }

function serve(socket: Socket, state: MailServerState): void {
  const mail: IncomingMail = { from: '', to: [], lines: null }
  let rest = ''
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    const lines = (rest + bytes.toString()).split('\r\n')
    rest = lines.pop() as string
    for (const line of lines) {
      const response = mail.lines === null ? handleCommand(line, mail, state) : handleLine(line, mail, state)
      if (response !== null) socket.write(`${response}\r\n`)
    }
  })
  socket.write('220 hello\r\n')
}

function handleCommand(line: string, mail: IncomingMail, { rejected }: MailServerState): string {
  const [verb = ''] = line.toUpperCase().split(/[ :]/)
  const [, address = ''] = /<(.*)>/.exec(line) ?? []
  if (verb === 'MAIL') mail.from = address
  if (verb === 'RCPT' && address === rejected()) return '451 not now'
  if (verb === 'RCPT') mail.to.push(address)
  if (verb === 'DATA') mail.lines = []
  return verb === 'DATA' ? '354 send the data' : '250 ok'
}

/** Collects the lines of a mail until a line with a single dot. */
function handleLine(line: string, mail: IncomingMail, { received }: MailServerState): string | null {
  const lines = mail.lines as string[]
  if (line !== '.') {
    lines.push(line.replace(/^\./, ''))
    return null
  }
  const [head = '', ...body] = lines.join('\n').split('\n\n')
  received.push({ from: mail.from, to: mail.to, head, text: decodeBody(head, body.join('\n\n')) })
  Object.assign(mail, { from: '', to: [], lines: null })
  return '250 accepted'
}

function decodeBody(head: string, body: string): string {
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString()
  if (!/quoted-printable/i.test(head)) return body
  const bytes = body
    .replaceAll(/=\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
