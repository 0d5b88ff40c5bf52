import { defineEvent } from '../../../platform/db/events.ts'
import type { Mail } from './mail.ts'
import { MailObject, present } from './schema.ts'

const bounce = {
  reason: null,
  bounced_at: '2026-11-14T12:34:56.000Z',
  bounce_detail: 'smtp; 550 5.1.1 unknown user',
}

export const mailBounced = defineEvent<Mail>({
  type: 'mail.bounced',
  about: 'An e-mail bounced permanently. No further e-mails are sent to the address.',
  schema: MailObject,
  present,
  example: { object: { status: 'bounced', ...bounce } },
})

export const mailComplained = defineEvent<Mail>({
  type: 'mail.complained',
  about: 'The recipient of an e-mail marked it as spam. No further e-mails are sent to the address.',
  schema: MailObject,
  present,
  example: { object: { status: 'complained', ...bounce, bounce_detail: null } },
})
