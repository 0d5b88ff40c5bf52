// Protocol handler of the test SMTP server. Records accepted messages, and can reject a recipient or drop a response.

import type { Socket } from 'node:net'

export type ReceivedMail = { from: string; to: string[]; head: string; text: string; html: string }

export type MailServerState = {
  /** Called before the response. */
  readonly record: (mail: ReceivedMail) => void
  readonly rejected: () => { readonly address: string; readonly response: string } | null
  readonly dropsResponses: () => boolean
}
type IncomingMail = { from: string; to: string[]; lines: string[] | null }

export function serveSmtp(socket: Socket, state: MailServerState): void {
  const mail: IncomingMail = { from: '', to: [], lines: null }
  let rest = ''
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    const lines = (rest + bytes.toString()).split('\r\n')
    rest = lines.pop() as string
    for (const line of lines) {
      const response = mail.lines === null ? handleCommand(line, mail, state) : handleLine(line, mail, state)
      if (response === 'lost') socket.destroy()
      else if (response !== null) socket.write(`${response}\r\n`)
    }
  })
  socket.write('220 hello\r\n')
}

function handleCommand(line: string, mail: IncomingMail, { rejected }: MailServerState): string {
  const [verb = ''] = line.toUpperCase().split(/[ :]/)
  const [, address = ''] = /<(.*)>/.exec(line) ?? []
  if (verb === 'MAIL') mail.from = address
  const rejection = rejected()
  if (verb === 'RCPT' && address === rejection?.address) return rejection.response
  if (verb === 'RCPT') mail.to.push(address)
  if (verb === 'DATA') mail.lines = []
  return verb === 'DATA' ? '354 send the data' : '250 ok'
}

/** Collects the lines of a message until a line with a single dot. */
function handleLine(line: string, mail: IncomingMail, state: MailServerState): string | null {
  const lines = mail.lines as string[]
  if (line !== '.') {
    lines.push(line.replace(/^\./, ''))
    return null
  }
  const [head = '', ...body] = lines.join('\n').split('\n\n')
  const [text = '', html = ''] = partsOf(head, body.join('\n\n'))
  state.record({ from: mail.from, to: mail.to, head, text, html })
  Object.assign(mail, { from: '', to: [], lines: null })
  return state.dropsResponses() ? 'lost' : '250 accepted'
}

/** The text and the HTML of a message, which may be nested in a part with attachments. */
function partsOf(head: string, body: string): string[] {
  const [, boundary] = /boundary="([^"]+)"/.exec(head) ?? []
  if (boundary === undefined) return [decodeBody(head, body)]
  const parts = body.split(`--${boundary}`).slice(1, -1)
  return parts.flatMap((part) => {
    const [partHead = '', ...rest] = part.replace(/^\n/, '').split('\n\n')
    return partsOf(partHead, rest.join('\n\n').replace(/\n$/, ''))
  })
}

function decodeBody(head: string, body: string): string {
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString()
  if (!/quoted-printable/i.test(head)) return body
  const bytes = body
    .replaceAll(/=\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
