/**
 * Messages of Amazon SNS with events of Amazon SES. No side effects. Messages are signed with a certificate, whose URL
 * they contain. Only signature version 2, which uses SHA-256, is accepted. SES returns the message tag `switchyard`, or
 * the headers of the e-mail.
 */
import { createVerify, X509Certificate } from 'node:crypto'
import { type Json, type MailEvent, objectIn, textIn } from './mail-event.ts'

const amazonHost = /^sns\.[a-z0-9-]{3,30}\.amazonaws\.com(\.cn)?$/

/** The address if it belongs to Amazon SNS; null otherwise, because anyone could host a certificate elsewhere. */
export function amazonUrl(text: unknown): URL | null {
  const url = URL.parse(textIn(text) ?? '')
  const isAmazon = url?.protocol === 'https:' && amazonHost.test(url.hostname) && url.port === ''
  return isAmazon ? url : null
}

const signedMembers = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
} as const

export type SnsType = keyof typeof signedMembers

export function snsTypeOf({ Type }: Json): SnsType | null {
  return Type === 'Notification' || Type === 'SubscriptionConfirmation' ? Type : null
}

export function isSignedBy(certificate: string, body: Json): boolean {
  const type = snsTypeOf(body)
  const signature = textIn(body.Signature)
  if (type === null || signature === null || body.SignatureVersion !== '2') return false
  const text = signedMembers[type].flatMap((name) => {
    const value = textIn(body[name])
    return value === null ? [] : [`${name}\n${value}\n`]
  })
  const { publicKey } = new X509Certificate(certificate)
  return createVerify('sha256').update(text.join('')).verify(publicKey, signature, 'base64')
}

/** The events in the message of a notification. Only permanent bounces count. */
export function readSes(message: Json): readonly MailEvent[] {
  const kind = message.eventType ?? message.notificationType
  const reference = referenceIn(objectIn(message.mail) ?? {})
  const [bounce, complaint] = [objectIn(message.bounce), objectIn(message.complaint)]
  if (kind === 'Bounce' && bounce?.bounceType === 'Permanent')
    return eventsOf('bounced', bounce.bouncedRecipients, reference)
  if (kind === 'Complaint' && complaint !== null)
    return eventsOf('complained', complaint.complainedRecipients, reference)
  return []
}

function eventsOf(type: MailEvent['type'], recipients: unknown, reference: string | null): MailEvent[] {
  const entries = Array.isArray(recipients) ? recipients : []
  return entries.flatMap((entry) => {
    const { emailAddress, diagnosticCode } = objectIn(entry) ?? {}
    const recipient = textIn(emailAddress)
    return recipient === null ? [] : [{ type, reference, recipient, detail: textIn(diagnosticCode) }]
  })
}

function referenceIn({ tags, headers }: Json): string | null {
  const tag = objectIn(tags)?.switchyard
  if (Array.isArray(tag)) return textIn(tag[0])
  const entries = Array.isArray(headers) ? headers.map((header) => objectIn(header) ?? {}) : []
  // Mail software may change the case of header names.
  const isReference = ({ name }: Json) => textIn(name)?.toLowerCase() === 'x-switchyard-reference'
  return textIn(entries.find(isReference)?.value)?.trim() ?? null
}
