/**
 * The shapes of the protocol between Switchyard and a business's own provider. They read its answers, make our
 * requests and are the document that its developers get, so the three cannot differ.
 */
import { type Static, Type } from 'typebox'
import { nullable, OneOf } from '../../kernel/shapes.ts'
import { operationKinds } from '../contract.ts'

/** Optional, and null means the same as left out: many ways to write JSON cannot leave out. */
const maybe = <S extends Parameters<typeof nullable>[0]>(schema: S) => Type.Optional(nullable(schema))

const time = '^\\d{4}-\\d\\d-\\d\\dT([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d)$'
/** Not `.` or `..`: it is part of an address, where these mean another one. */
const tokenPattern = '^(?!\\.{1,2}$)[^\\u0000-\\u0020\\u007f]{1,512}$'

const Kind = OneOf(operationKinds, { description: 'What is to be done.' })
const Reference = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'The name of the operation, the same in every repeat and in no other operation.',
  examples: ['01M7CYVGQTEAKSNTBFR026MPQ1-1'],
})
const ProviderReference = Type.String({
  pattern: '^[^\\u0000-\\u001f\\u007f]{1,255}$',
  description: 'Your own name for it. Shown to people, and sent back to you in nothing.',
  examples: ['ch_8Qm2'],
})
const Amount = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'In the smallest unit: 1000 is EUR 10.00, JPY 1000 or KWD 1.000.',
  examples: [1000],
})
const Currency = Type.String({
  pattern: '^[a-z]{3}$',
  description: 'ISO 4217, in lower case.',
  examples: ['eur'],
})
const Time = Type.String({ pattern: time, examples: ['2026-11-14T12:00:00.000Z'] })
const Token = Type.String({ pattern: tokenPattern, examples: ['card_7Yt1'] })
const Text = Type.String()

const CardInstrument = Type.Object({
  type: Type.Literal('card'),
  number: Type.String({ examples: ['4242424242424242'] }),
  exp_month: Type.Integer(),
  exp_year: Type.Integer(),
  cvc: Type.Optional(Type.String()),
})
const TokenInstrument = Type.Object({ type: Type.Literal('token'), token: Token })

export const OperationRequest = Type.Object(
  {
    reference: Reference,
    kind: Kind,
    parent_reference: nullable(
      Type.String({ description: 'Of the operation that a capture, void or refund is about; else null.' }),
    ),
    mode: OneOf(['live', 'test']),
    amount: Amount,
    currency: Currency,
    capture: Type.Boolean({ description: 'Whether an authorization takes the money at once.' }),
    initiator: OneOf(['customer', 'merchant'], { description: 'Who asks for it: is the payer there?' }),
    stored_credential: Type.Object({
      use: OneOf(['none', 'first', 'subsequent']),
      network_transaction_id: nullable(Text),
    }),
    instrument: Type.Union([CardInstrument, TokenInstrument, Type.Null()]),
    payment_id: Text,
    three_d_secure: OneOf(['auto', 'required'], {
      description: '`required`: the payer’s bank has to confirm who pays.',
    }),
    return_url: nullable(Type.String({ description: 'Where the payer goes back to after an action.' })),
    customer: Type.Union([Type.Object({ id: Text, email: nullable(Text) }), Type.Null()]),
    billing: Type.Union([Type.Object({}), Type.Null()]),
    device: Type.Union([Type.Object({}), Type.Null()]),
    statement_descriptor: nullable(Text),
    description: nullable(Text),
    metadata: Type.Object({}, { description: 'The merchant’s own keys and texts.' }),
  },
  { description: 'New members may come; pass over those you do not know.' },
)

const Decline = Type.Object({
  code: Type.String({ description: 'One of the codes of the guide. Any other is a plain decline.' }),
  network_code: maybe(Type.String({ description: 'What the card network said.', examples: ['51'] })),
  advice_code: maybe(Type.String({ description: 'The advice code of Mastercard.', examples: ['24'] })),
  message: maybe(Type.String({ description: 'For the merchant, never for the payer.' })),
})
const Action = Type.Object({
  type: Type.Literal('redirect'),
  url: Type.String({ maxLength: 2_048, pattern: '^https?://[^\\u0000-\\u0020]+$' }),
  expires_at: Time,
})
const Problem = Type.Object({ code: Type.String({ examples: ['operation_closed'] }), message: maybe(Text) })

export const recordStatuses = [
  'succeeded',
  'pending',
  'action_required',
  'declined',
  'rejected',
  'closed',
] as const

export const OperationRecord = Type.Object({
  reference: Reference,
  kind: maybe(
    OneOf(operationKinds, { description: 'As requested. Null if you never read it: closed or rejected.' }),
  ),
  status: OneOf(recordStatuses),
  parent_reference: maybe(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description: 'In `refund.created`: of the authorization that you gave money back of.',
    }),
  ),
  provider_reference: maybe(ProviderReference),
  amount: maybe(Amount),
  currency: maybe(Currency),
  decline: Type.Optional(Type.Union([Decline, Type.Null()])),
  action: Type.Optional(Type.Union([Action, Type.Null()])),
  error: Type.Optional(Type.Union([Problem, Type.Null()])),
  token: maybe(Token),
  network_transaction_id: maybe(ProviderReference),
  capture_before_at: maybe(Time),
  check_after_ms: maybe(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
})
export type OperationRecord = Static<typeof OperationRecord>

/** An answer that holds no record. */
export const ErrorAnswer = Type.Object({ reference: maybe(Reference), error: Problem })
/** With 429 or 503: the request was put away unread. A status that says otherwise makes it worthless. */
export const NotProcessed = Type.Object({
  processed: Type.Literal(false),
  status: Type.Optional(Type.Literal('rejected')),
})

export const CompleteRequest = Type.Object({
  return_params: Type.Object({}, { description: 'What the payer’s browser brought back, as texts.' }),
})

const list = (description: string) =>
  Type.Union([Type.Literal('all'), Type.Array(Type.String(), { maxItems: 300 })], { description })

export const Manifest = Type.Object({
  protocol: Type.Literal(1),
  capabilities: Type.Object({
    kinds: Type.Array(Kind, { minItems: 1 }),
    brands: list('Brands of cards, in lower case.'),
    currencies: list('In lower case.'),
    countries: list('Countries of cards, in upper case.'),
    amount: Type.Optional(Type.Union([Type.Object({ min: Amount, max: Amount }), Type.Null()])),
    manual_capture: Type.Boolean(),
    multi_capture: Type.Boolean(),
    partial_refund: Type.Boolean(),
    three_d_secure: Type.Boolean(),
    off_session: Type.Boolean(),
  }),
  timeout_ms: Type.Integer({
    minimum: 1,
    maximum: 60_000,
    description: 'You answer within this time. Switchyard waits for 65 seconds.',
  }),
  features: Type.Object({
    lookup: Type.Boolean(),
    close: Type.Boolean(),
    complete: Type.Boolean(),
    tokens: Type.Boolean(),
    replay: Type.Optional(
      Type.Boolean({ description: 'False if a repeat acts again. A provider of your own must not.' }),
    ),
  }),
})
export type Manifest = Static<typeof Manifest>

export const Callback = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Two callbacks with one id are one.',
    examples: ['evt_1'],
  }),
  type: Type.String({ description: '`operation.updated` or `refund.created`.' }),
  operation: Type.Optional(Type.Unknown({ description: 'The record.' })),
})

const Secrets = Type.Array(Type.String({ pattern: '^psec_[A-Za-z0-9_-]{16,200}$' }), {
  minItems: 1,
  maxItems: 2,
  description: 'The newest first. Two while they rotate.',
})

export const CustomConfig = Type.Object({
  base_url: Type.String({ maxLength: 1_024, pattern: '^https?://[^\\u0000-\\u0020?#]+$' }),
  secrets: Secrets,
  manifest: Type.Optional(Manifest),
})
export type CustomConfig = Static<typeof CustomConfig>

const Switch = Type.Optional(Type.Boolean())

/** What the simulator shall be good at, and how it misbehaves. */
export const SimulatorConfig = Type.Object({
  ...CustomConfig.properties,
  auth_rate: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  latency_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
  outage: Type.Optional(Type.Object({ from_at: Time, until_at: Time })),
  replay: Switch,
  lookup: Switch,
  lookup_lag_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_600_000 })),
  close: Switch,
  webhooks: Type.Optional(OneOf(['on', 'off', 'twice', 'reordered'])),
})
export type SimulatorConfig = Static<typeof SimulatorConfig>
