/**
 * Mails leave by a server that the operator names, or lie in a folder where a developer finds them. A mail is sent at
 * least once: whoever sends it does so from work that is repeated until it is noted.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { createTransport } from 'nodemailer'

export type MailSettings = {
  /** `smtps://user:password@host:465`; null: none. */
  readonly smtpUrl: string | null
  /** A folder for mails that are not to leave. */
  readonly outbox: string | null
  readonly from: string
}

export type Mail = {
  /** The same for each try of one mail. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

export type Mailer = { send(mail: Mail): Promise<void> }

/** How long a mail server is waited for. What fails is tried again later. */
const patience = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/** Null: nobody has set it up. */
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
    ...patience,
    // A text names a file or an address nowhere, so nothing is ever fetched for it.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ id, to, subject, text }) {
      const domain = /@([^>]+)>?$/.exec(from)?.[1] ?? 'localhost'
      // The recipient as an object: a text would be read as a list, and could name several.
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
