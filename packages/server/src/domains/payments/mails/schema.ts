import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  IdOf,
  nullableWithExample,
  nullableWithNullExample,
  OneOf,
  Time,
} from '../../../kernel/shapes.ts'
import { type Mail, type MailSettings, mailKindNames, mailKinds, mailStatuses, textEntries } from './mail.ts'
import { languages } from './texts.ts'

const MailKind = OneOf(mailKindNames, { description: 'What the e-mail is about.', loggable: true })

const members = {
  id: IdOf('mail'),
  object: Type.Literal('mail'),
  kind: MailKind,
  object_id: Type.String({
    description: 'Object that the e-mail is about, such as an invoice.',
    examples: ['invoice_01M7CYVSCBEAKS6M475NRJM4KW'],
  }),
  customer_id: nullableWithExample(
    IdOf('customer', 'Customer that receives the e-mail. Null for other payers.'),
  ),
  to: Type.String({ description: 'Recipient.', examples: ['ada@example.com'] }),
  status: OneOf(mailStatuses, {
    description:
      '`pending`: it is sent at `due_at`. `sent`: the mail server has accepted it. `not_sent`: it was not meant to be sent, for the reason in `reason`. `failed`: it could not be sent within three days, or the mail server rejected it. `bounced`: it was sent, but bounced permanently. `complained`: its recipient marked it as spam.',
    examples: ['sent'],
    loggable: true,
  }),
  reason: nullableWithNullExample(
    Type.String({
      description:
        'Why it was not sent: `test_recipient` (in the test environment only people of the organization receive e-mails), `test_clock`, `not_configured` (there is no mail server), `outdated`, `customer_deleted`, `bounced` (an earlier e-mail to the address bounced, or its recipient complained), `unavailable` (the mail server cannot be reached), `rejected` (by the mail server) or `outcome_unknown` (the response of the mail server was lost twice). Null if it was sent or not tried yet.',
      examples: ['test_recipient'],
      loggable: true,
    }),
  ),
  attempts: Type.Integer({ description: 'Attempts to send it.', examples: [1] }),
  due_at: nullableWithNullExample({
    ...Time,
    description: 'Time of the next attempt. Null if there is none.',
  }),
  sent_at: nullableWithExample({
    ...Time,
    description: 'When the mail server accepted it. Null if it was not sent.',
  }),
  bounced_at: nullableWithNullExample({
    ...Time,
    description: 'When it was reported as bounced or as spam. Null if it was not.',
  }),
  bounce_detail: nullableWithNullExample(
    Type.String({
      description: 'Response of the mail server of the recipient. Null if it is not known.',
      examples: ['smtp; 550 5.1.1 unknown user'],
    }),
  ),
  created_at: CreatedAt,
}

export const MailObject = Type.Object(members, {
  $id: 'Mail',
  description: 'An e-mail to a payer.',
})

const content = {
  subject: Type.String({ description: 'Subject.', examples: ['Your receipt from Café Zürich'] }),
  text: Type.String({ description: 'Plain text.' }),
  html: Type.String({ description: 'HTML. It shows the logo as the attachment `cid:logo`.' }),
}

export const MailWithContentObject = Type.Object(
  { ...members, ...content },
  { $id: 'MailWithContent', description: 'An e-mail to a payer, with its content.' },
)

export const MailPath = Type.Object({ mail_id: IdOf('mail') })

const senderName = nullableWithExample(
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[^\\r\\n]*$',
    faultDetail: 'must be one line',
    description: 'Name of the sender. Null: the name that payers see on payment pages.',
    examples: ['Café Zürich'],
  }),
)
const replyTo = nullableWithExample(
  Type.String({
    format: 'email',
    maxLength: 320,
    description: 'Address for replies. Null: replies go to the sender address of the installation.',
    examples: ['support@example.com'],
  }),
)
const kindSwitches = Object.fromEntries(
  mailKindNames.map((kind) => [
    kind,
    Type.Boolean({
      description: `Whether \`${kind}\` e-mails are sent. Default: ${mailKinds[kind].isOnByDefault}.`,
      examples: [mailKinds[kind].isOnByDefault],
    }),
  ]),
)

const MailText = {
  kind: MailKind,
  language: OneOf(Object.keys(languages) as (keyof typeof languages & string)[], {
    description: 'Language of the subject and the first paragraph.',
    examples: ['de'],
  }),
  subject: nullableWithExample(
    Type.String({
      minLength: 1,
      maxLength: 150,
      pattern: '^([^{}\\r\\n]|\\{seller\\}|\\{date\\})*$',
      faultDetail: 'must be one line, with the placeholders {seller} and {date} and no other braces',
      description: 'Subject, with the placeholders `{seller}` and `{date}`. Null: the default.',
      examples: ['Thank you from {seller}'],
    }),
  ),
  body: nullableWithExample(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      pattern: '^([^{}]|\\{seller\\}|\\{date\\})*$',
      faultDetail: 'may contain the placeholders {seller} and {date}, and no other braces',
      description:
        'First paragraph, with the placeholders `{seller}` and `{date}`. Null: the default. Amounts, cards and buttons always follow it.',
      examples: ['Thank you for your order.'],
    }),
  ),
}

export const MailSettingsObject = Type.Object(
  {
    object: Type.Literal('mail_settings'),
    sender_name: senderName,
    reply_to: replyTo,
    kinds: Type.Object(kindSwitches, { description: 'Which kinds of e-mails are sent.' }),
    texts: Type.Array(Type.Object(MailText), {
      description: 'Subjects and first paragraphs that replace the defaults.',
    }),
  },
  { $id: 'MailSettings', description: 'The e-mail settings of a workspace.' },
)

const textChanges = Type.Array(
  Type.Object(
    { ...MailText, subject: Type.Optional(MailText.subject), body: Type.Optional(MailText.body) },
    { additionalProperties: false },
  ),
  {
    maxItems: 100,
    description:
      'Subjects and first paragraphs by kind and language. Others are unchanged. Without subject and body, the defaults are restored. `{date}` is available in `trial_ending` and `renewal_upcoming`.',
  },
)

export const UpdateMailSettings = Type.Object(
  {
    sender_name: Type.Optional(senderName),
    reply_to: Type.Optional(replyTo),
    kinds: Type.Optional(
      Type.Object(
        Object.fromEntries(
          Object.entries(kindSwitches).map(([kind, schema]) => [kind, Type.Optional(schema)]),
        ),
        {
          additionalProperties: false,
          description: 'Kinds to switch on or off. Omitted kinds are unchanged.',
        },
      ),
    ),
    texts: Type.Optional(textChanges),
  },
  { additionalProperties: false },
)

export const PreviewMail = Type.Object(
  {
    kind: MailKind,
    locale: Type.Optional(
      nullableWithExample(
        Type.String({
          maxLength: 35,
          pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
          faultDetail: 'must be a language tag such as de or en-GB',
          description: 'Language: `ar`, `de`, `en`, `es`, `fr` or `ja`. Others are shown in English.',
          examples: ['de'],
        }),
      ),
    ),
    texts: Type.Optional({
      ...textChanges,
      description: 'Subject and first paragraph to preview before they are saved.',
    }),
  },
  { additionalProperties: false },
)

export const MailPreviewObject = Type.Object(
  { object: Type.Literal('mail_preview'), ...content },
  { $id: 'MailPreview', description: 'An e-mail with example values.' },
)

export const ListMails = {
  customer_id: Type.Optional(IdOf('customer', 'Only e-mails to this customer.')),
  status: Type.Optional(OneOf(mailStatuses, { description: 'Only e-mails with this status.' })),
}

export function present(mail: Mail): Static<typeof MailObject> {
  return {
    id: mail.id,
    object: 'mail',
    kind: mail.kind,
    object_id: mail.objectId,
    customer_id: mail.customerId,
    to: mail.recipient,
    status: mail.status,
    reason: mail.reason,
    attempts: mail.attempts,
    due_at: mail.dueAt?.toISOString() ?? null,
    sent_at: mail.sentAt?.toISOString() ?? null,
    bounced_at: mail.bouncedAt?.toISOString() ?? null,
    bounce_detail: mail.bounceDetail,
    created_at: mail.createdAt.toISOString(),
  }
}

type Content = { readonly subject: string; readonly text: string; readonly html: string }

export function presentWithContent(mail: Mail & { readonly content: Content }) {
  return { ...present(mail), ...presentContent(mail.content) }
}

export function presentPreview(preview: Content): Static<typeof MailPreviewObject> {
  return { object: 'mail_preview', ...presentContent(preview) }
}

function presentContent({ subject, text, html }: Content): Content {
  return { subject, text, html }
}

export function presentSettings({ senderName, replyTo, kinds, texts }: MailSettings) {
  return {
    object: 'mail_settings' as const,
    sender_name: senderName,
    reply_to: replyTo,
    kinds: { ...kinds },
    texts: textEntries(texts),
  }
}
