/**
 * Sends e-mail over the operator's SMTP server, or writes it to a folder during development. Delivery is at
 * least once: senders run in jobs that are retried until the e-mail is recorded as sent.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { createTransport } from 'nodemailer'

export type MailSettings = {
  /** For example `smtps://user:password@host:465`; null if there is no mail server. */
  readonly smtpUrl: string | null
  /** A folder to which e-mails are written instead of being sent. */
  readonly outbox: string | null
  readonly from: string
}

export type Mail = {
  /** The same for every attempt to send one e-mail. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

export type Mailer = { send(mail: Mail): Promise<void> }

/** Timeouts for the mail server. Failed e-mails are retried later. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/** Returns null if e-mail is not configured. */
export function createMailer({ smtpUrl, outbox, from }: MailSettings): Mailer | null {
  if (smtpUrl !== null) return smtpMailer(smtpUrl, from)
  return outbox === null ? null : folderMailer(outbox, from)
}

function smtpMailer(url: string, from: string): Mailer {
  const address = new URL(url)
  const transport = createTransport({
    host: address.hostname.replace(/^\[|\]$/g, ''),
    port: Number(address.port || (address.protocol === 'smtps:' ? 465 : 587)),
    secure: address.protocol === 'smtps:',
    ...(address.username === ''
      ? {}
      : { auth: { user: decodeURIComponent(address.username), pass: decodeURIComponent(address.password) } }),
    ...timeouts,
    // E-mails are plain text without attachments, so nodemailer never needs to read files or fetch URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ id, to, subject, text }) {
      const domain = /@([^>]+)>?$/.exec(from)?.[1] ?? 'localhost'
      // An object, because a string is parsed as a list and could contain several recipients.
      const recipient = { name: '', address: to }
      await transport.sendMail({ from, to: recipient, subject, text, messageId: `<${id}@${domain}>` })
    },
  }
}

function folderMailer(folder: string, from: string): Mailer {
  return {
    async send({ id, to, subject, text }) {
      await mkdir(folder, { recursive: true })
      const head = [`From: ${from}`, `To: ${to}`, `Subject: ${subject}`].join('\n')
      await writeFile(`${folder}/${id}.txt`, `${head}\n\n${text}`)
    },
  }
}
