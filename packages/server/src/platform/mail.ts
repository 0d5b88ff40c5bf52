/**
 * Sends e-mail over the operator's SMTP server, or writes it to a folder during development. The result is a
 * value: the server accepted the e-mail, the server certainly did not accept it, or the server's response was lost.
 */
import { mkdir, writeFile } from 'node:fs/promises'

export type MailSettings = {
  /** For example `smtps://user:password@host:465`; null if there is no mail server. */
  readonly smtpUrl: string | null
  /** A folder to which e-mails are written instead of being sent. */
  readonly outbox: string | null
  readonly from: string
  readonly events: MailEventSettings
  /** The DKIM selectors of the domain of `from`. */
  readonly dkimSelectors: readonly string[]
  /** The DNS server for checks of the domain of `from`; null: the DNS servers of the operating system. */
  readonly dnsServer: string | null
}

/** How reports of mail services about bounces and complaints are authenticated. */
export type MailEventSettings = {
  /** User name and password of the webhooks of Postmark; null: none are accepted. */
  readonly postmark: string | null
  /** The topics of Amazon SNS whose messages are accepted. */
  readonly sesTopics: readonly string[]
  /** The address that undeliverable e-mails are returned to, with a token for each e-mail; null: the sender. */
  readonly returnPath: string | null
}

export type Mail = {
  /** The same for every attempt to send one e-mail. */
  readonly id: string
  /** Returned in reports about bounces. */
  readonly reference: string
  /** The envelope sender; null: the configured sender. */
  readonly returnPath: string | null
  readonly to: string
  /** Replaces the name of the configured sender; null: unchanged. */
  readonly senderName: string | null
  readonly replyTo: string | null
  readonly subject: string
  readonly text: string
  readonly html: string
  /** An image that the HTML shows as `cid:<cid>`. */
  readonly image: { readonly cid: string; readonly type: string; readonly content: Buffer } | null
}

export type SendResult =
  | { readonly is: 'sent' }
  /** The server has rejected this e-mail permanently, for example because the address does not exist. */
  | { readonly is: 'rejected'; readonly detail: string }
  /** The server does not have the e-mail. Another attempt may succeed. */
  | { readonly is: 'unavailable'; readonly detail: string }
  /** The connection was lost after the e-mail was sent and before the server responded. */
  | { readonly is: 'unknown'; readonly detail: string }

export type Mailer = { send(mail: Mail): Promise<SendResult> }

/** Timeouts for the mail server. Failed e-mails are retried later. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/** Returns null if e-mail is not configured. */
export function createMailer({
  smtpUrl,
  outbox,
  from,
  events,
}: Pick<MailSettings, 'smtpUrl' | 'outbox' | 'from' | 'events'>): Mailer | null {
  if (smtpUrl !== null) return smtpMailer(smtpUrl, from, events)
  return outbox === null ? null : folderMailer(outbox, from)
}

/** The address in `Name <address>`. */
export function addressOf(from: string): string {
  return /<([^>]+)>\s*$/.exec(from)?.[1] ?? from
}

export function domainOf(from: string): string {
  return addressOf(from).split('@')[1] ?? 'localhost'
}

function smtpMailer(url: string, from: string, events: MailEventSettings): Mailer {
  const options = smtpOptions(url)
  return {
    async send(mail) {
      // Loaded for the first e-mail: many processes send none.
      const { createTransport } = await import('nodemailer')
      const exchange = observeExchange()
      // One transport per e-mail, because its log shows how far this e-mail got.
      const transport = createTransport({ ...options, logger: exchange.logger, transactionLog: true })
      try {
        const { returnPath, to } = mail
        await transport.sendMail({
          ...messageOf(mail, from),
          headers: referenceHeaders(mail, events),
          ...(returnPath !== null && { envelope: { from: returnPath, to } }),
        })
        return { is: 'sent' }
      } catch (error) {
        return resultOf(error, exchange.hasSentContent())
      } finally {
        transport.close()
      }
    },
  }
}

function smtpOptions(url: string) {
  const address = new URL(url)
  return {
    host: address.hostname.replace(/^\[|\]$/g, ''),
    port: Number(address.port || (address.protocol === 'smtps:' ? 465 : 587)),
    secure: address.protocol === 'smtps:',
    ...(address.username === ''
      ? {}
      : { auth: { user: decodeURIComponent(address.username), pass: decodeURIComponent(address.password) } }),
    ...timeouts,
    // The only attachment is an image from memory, so nodemailer never needs to read files or fetch URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

function messageOf({ id, to, senderName, replyTo, subject, text, html, image }: Mail, from: string) {
  return {
    from: senderName === null ? from : { name: senderName, address: addressOf(from) },
    // Objects, because a string is parsed as a list and could contain several addresses.
    to: { name: '', address: to },
    ...(replyTo === null ? {} : { replyTo: { name: '', address: replyTo } }),
    subject,
    text,
    html,
    messageId: `<${id}@${domainOf(from)}>`,
    attachments:
      image === null
        ? []
        : [
            {
              cid: image.cid,
              content: image.content,
              contentType: image.type,
              filename: 'logo',
              contentDisposition: 'inline' as const,
            },
          ],
  }
}

/** The headers that each mail service returns in its reports. */
function referenceHeaders({ reference }: Mail, { postmark, sesTopics }: MailEventSettings) {
  return {
    'X-Switchyard-Reference': reference,
    ...(postmark === null ? {} : { 'X-PM-Metadata-switchyard': reference }),
    ...(sesTopics.length === 0 ? {} : { 'X-SES-MESSAGE-TAGS': `switchyard=${reference}` }),
  }
}

/**
 * The content is sent after the server has responded with 354. From then on the server may have accepted the
 * e-mail.
 */
function observeExchange() {
  let hasSentContent = false
  const ignore = () => {}
  const debug = (entry: { readonly tnx?: string }, message: unknown) => {
    if (entry.tnx === 'server' && String(message).startsWith('354')) hasSentContent = true
  }
  const logger = {
    level: ignore,
    trace: ignore,
    debug,
    info: ignore,
    warn: ignore,
    error: ignore,
    fatal: ignore,
  }
  return { logger, hasSentContent: () => hasSentContent }
}

type SmtpError = { readonly code?: string; readonly responseCode?: number; readonly message?: string }

function resultOf(error: unknown, hasSentContent: boolean): SendResult {
  const { code, responseCode, message } = error as SmtpError
  const detail = message ?? String(error)
  if (responseCode === undefined) return { is: hasSentContent ? 'unknown' : 'unavailable', detail }
  // Other permanent responses, such as a wrong password, are about the server and not about this e-mail.
  const isAboutThisMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  return { is: responseCode >= 500 && isAboutThisMail ? 'rejected' : 'unavailable', detail }
}

function folderMailer(folder: string, from: string): Mailer {
  return {
    async send({ id, to, subject, text, html }) {
      await mkdir(folder, { recursive: true })
      const head = [`From: ${from}`, `To: ${to}`, `Subject: ${subject}`].join('\n')
      await writeFile(`${folder}/${id}.html`, html)
      await writeFile(`${folder}/${id}.txt`, `${head}\n\n${text}`)
      return { is: 'sent' }
    },
  }
}
