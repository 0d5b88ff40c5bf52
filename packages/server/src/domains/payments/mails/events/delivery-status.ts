/**
 * Messages with which mail servers return an e-mail, as specified in RFC 3464 (delivery status notifications). No side effects. The
 * report is one part of the message, and consists of groups of fields: one for the message, then one for each recipient.
 */

export type ReturnedMail = {
  /** The header of the message, which contains the address that it was returned to. */
  readonly header: string
  /** Why the e-mail can never be delivered to this address; null if it may be delivered later, or nothing states that it cannot. */
  readonly failure: string | null
}

export function readReturnedMail(message: string): ReturnedMail {
  const { header, body } = splitHeader(message.replaceAll('\r\n', '\n'))
  const [, boundary] = /^content-type:\s*multipart\/report\b.*\bboundary="?([^";\n]+)/im.exec(header) ?? []
  if (boundary === undefined) return { header, failure: null }
  const report = body
    .split(`\n--${boundary}`)
    .map((part) => splitHeader(part.replace(/^[^\n]*\n/, '')))
    .find((part) => /^content-type:\s*message\/(global-)?delivery-status\b/im.test(part.header))
  const recipients = (report?.body ?? '').split(/\n\n+/).map(fieldsOf)
  return { header, failure: recipients.map(failureOf).find((failure) => failure !== null) ?? null }
}

/** Unfolds the lines of the header. */
function splitHeader(text: string): { readonly header: string; readonly body: string } {
  const end = `${text}\n\n`.indexOf('\n\n')
  return { header: text.slice(0, end).replaceAll(/\n[ \t]+/g, ' '), body: text.slice(end + 1) }
}

type Fields = ReadonlyMap<string, string>

function fieldsOf(group: string): Fields {
  const lines = group.replaceAll(/\n[ \t]+/g, ' ').matchAll(/^([\w-]+):\s*(.*)$/gm)
  return new Map(Array.from(lines, ([, name = '', value = '']) => [name.toLowerCase(), value.trim()]))
}

/**
 * A full mailbox, an e-mail that is too large, and policies against the sender do not show that the address
 * is invalid.
 */
const aboutTheMail = /^5\.(2\.[23]|3\.4|7\.)/

function failureOf(fields: Fields): string | null {
  const [status = ''] = (fields.get('status') ?? '').split(/\s/)
  const isPermanent = fields.get('action')?.toLowerCase() === 'failed' && status.startsWith('5.')
  if (!isPermanent || aboutTheMail.test(status)) return null
  return fields.get('diagnostic-code') ?? status
}
