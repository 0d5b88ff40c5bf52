// A mail server of a few lines: it takes mails, tells what it took, and refuses a recipient if it is told to.

import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll } from 'vitest'

type Received = { from: string; to: string[]; head: string; text: string }

export async function mailServerForThisFile() {
  const received: Received[] = []
  let refused: string | null = null
  const server = createServer((socket) => converse(socket, { received, refused: () => refused }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => server.close())

  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: (): readonly Received[] => received,
    /** Mails for this address are not taken for now. */
    refuse(address: string | null): void {
      refused = address
    },
  }
}

type Office = { readonly received: Received[]; readonly refused: () => string | null }
type Mail = { from: string; to: string[]; lines: string[] | null }

function converse(socket: Socket, office: Office): void {
  const mail: Mail = { from: '', to: [], lines: null }
  let rest = ''
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    const lines = (rest + bytes.toString()).split('\r\n')
    rest = lines.pop() as string
    for (const line of lines) {
      const said = mail.lines === null ? answerTo(line, mail, office) : take(line, mail, office)
      if (said !== null) socket.write(`${said}\r\n`)
    }
  })
  socket.write('220 hello\r\n')
}

function answerTo(line: string, mail: Mail, { refused }: Office): string {
  const [verb = ''] = line.toUpperCase().split(/[ :]/)
  const [, address = ''] = /<(.*)>/.exec(line) ?? []
  if (verb === 'MAIL') mail.from = address
  if (verb === 'RCPT' && address === refused()) return '451 not now'
  if (verb === 'RCPT') mail.to.push(address)
  if (verb === 'DATA') mail.lines = []
  return verb === 'DATA' ? '354 go on' : '250 ok'
}

/** The lines of a mail, until one that is a dot. */
function take(line: string, mail: Mail, { received }: Office): string | null {
  const lines = mail.lines as string[]
  if (line !== '.') {
    lines.push(line.replace(/^\./, ''))
    return null
  }
  const [head = '', ...body] = lines.join('\n').split('\n\n')
  received.push({ from: mail.from, to: mail.to, head, text: readable(head, body.join('\n\n')) })
  Object.assign(mail, { from: '', to: [], lines: null })
  return '250 taken'
}

function readable(head: string, body: string): string {
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString()
  if (!/quoted-printable/i.test(head)) return body
  const bytes = body
    .replaceAll(/=\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
