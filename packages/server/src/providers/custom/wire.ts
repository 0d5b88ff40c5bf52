/**
 * The schemas of the protocol between Switchyard and a custom provider. They validate responses, build
 * requests and generate the documentation, so these cannot differ.
 */
import { type Static, Type } from 'typebox'
import { nullable, OneOf } from '../../kernel/shapes.ts'
import {
  accountTypes,
  disputeReasons,
  disputeStages,
  evidenceFields,
  fileContentTypes,
  filePurposes,
  operationKinds,
  redirectTypes,
  reportedDisputeStatuses,
} from '../contract.ts'

/** An optional member. Null means omitted, because many JSON libraries cannot omit members. */
const optional = <S extends Parameters<typeof nullable>[0]>(schema: S) => Type.Optional(nullable(schema))

const time = '^\\d{4}-\\d\\d-\\d\\dT([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d)$'
/** Not `.` or `..`: the token is part of a path, where these have another meaning. */
const tokenPattern = '^(?!\\.{1,2}$)[^\\u0000-\\u0020\\u007f]{1,512}$'

const Kind = OneOf(operationKinds, { description: 'Type of the operation.' })
const Reference = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description:
    'Unique reference of the operation. It is the same in every retry and is used by no other operation.',
  examples: ['01M7CYVGQTEAKSNTBFR026MPQ1-1'],
})
const ProviderReference = Type.String({
  pattern: '^[^\\u0000-\\u001f\\u007f]{1,255}$',
  description: 'Your own ID of the operation. It is shown in the dashboard and never sent back to you.',
  examples: ['ch_8Qm2'],
})
const Amount = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Amount in minor units: 1000 is EUR 10.00, JPY 1000 or KWD 1.000.',
  examples: [1000],
})
const Currency = Type.String({
  pattern: '^[a-z]{3}$',
  description: 'Three-letter ISO 4217 currency code in lowercase.',
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
const debitMembers = {
  account_holder_name: Text,
  email: Text,
  mandate: Type.Object({ reference: Text, accepted_at: Time }),
}
const SepaInstrument = Type.Object({
  type: Type.Literal('sepa_debit'),
  iban: Type.String({ examples: ['DE89370400440532013000'] }),
  ...debitMembers,
})
const AchInstrument = Type.Object({
  type: Type.Literal('ach_debit'),
  routing_number: Type.String({ examples: ['110000000'] }),
  account_number: Type.String({ examples: ['000123456789'] }),
  account_type: OneOf(accountTypes),
  ...debitMembers,
})
const BacsInstrument = Type.Object({
  type: Type.Literal('bacs_debit'),
  sort_code: Type.String({ examples: ['108800'] }),
  account_number: Type.String({ examples: ['00012345'] }),
  ...debitMembers,
})
const RedirectInstrument = Type.Object({
  type: OneOf(redirectTypes, {
    description: 'The payer approves the payment on your page. Respond with `action_required`.',
  }),
  account_holder_name: nullable(Text),
})
const TokenInstrument = Type.Object({ type: Type.Literal('token'), token: Token })

export const OperationRequest = Type.Object(
  {
    reference: Reference,
    kind: Kind,
    parent_reference: nullable(
      Type.String({
        description: 'Reference of the operation that a capture, void or refund applies to. Null otherwise.',
      }),
    ),
    mode: OneOf(['live', 'test']),
    amount: Amount,
    currency: Currency,
    capture: Type.Boolean({ description: 'Whether an authorization is captured immediately.' }),
    initiator: OneOf(['customer', 'merchant'], {
      description: '`customer`: the payer is present. `merchant`: the payer is not present.',
    }),
    stored_credential: Type.Object({
      use: OneOf(['none', 'first', 'subsequent']),
      network_transaction_id: nullable(Text),
    }),
    instrument: Type.Union([
      CardInstrument,
      SepaInstrument,
      AchInstrument,
      BacsInstrument,
      RedirectInstrument,
      TokenInstrument,
      Type.Null(),
    ]),
    payment_id: Text,
    three_d_secure: OneOf(['auto', 'required'], {
      description: '`required`: 3-D Secure authentication is required.',
    }),
    return_url: nullable(Type.String({ description: 'URL to send the payer back to after an action.' })),
    customer: Type.Union([Type.Object({ id: Text, email: nullable(Text) }), Type.Null()]),
    billing: Type.Union([Type.Object({}), Type.Null()]),
    device: Type.Union([Type.Object({}), Type.Null()]),
    statement_descriptor: nullable(Text),
    description: nullable(Text),
    metadata: Type.Object({}, { description: 'Metadata of the merchant.' }),
  },
  { description: 'New members may be added; ignore those you do not know.' },
)

const Decline = Type.Object({
  code: Type.String({
    description: 'One of the decline codes in the guide. Any other code is treated as a generic decline.',
  }),
  network_code: optional(
    Type.String({ description: 'Response code of the card network.', examples: ['51'] }),
  ),
  advice_code: optional(
    Type.String({ description: 'Merchant advice code of Mastercard.', examples: ['24'] }),
  ),
  message: optional(
    Type.String({ description: 'Message for the merchant. It is never shown to the payer.' }),
  ),
})
const Action = Type.Object({
  type: OneOf(['redirect', 'form'], {
    description: '`redirect`: the payer is redirected to `url`. `form`: `fields` are posted to `url`.',
  }),
  url: Type.String({ maxLength: 2_048, pattern: '^https?://[^\\u0000-\\u0020]+$' }),
  fields: Type.Optional(
    Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 8_192 }), {
      maxProperties: 20,
      description: 'Form fields, for the type `form`.',
    }),
  ),
  expires_at: Time,
})
const Problem = Type.Object({
  code: Type.String({ examples: ['operation_closed'] }),
  message: optional(Text),
})

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
  kind: optional(
    OneOf(operationKinds, {
      description:
        'Type of the operation, as requested. Null if you never read the request because it was closed or rejected.',
    }),
  ),
  status: OneOf(recordStatuses),
  parent_reference: optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description: 'In `refund.created`: reference of the authorization that you refunded.',
    }),
  ),
  provider_reference: optional(ProviderReference),
  amount: optional(Amount),
  currency: optional(Currency),
  decline: Type.Optional(Type.Union([Decline, Type.Null()])),
  action: Type.Optional(Type.Union([Action, Type.Null()])),
  error: Type.Optional(Type.Union([Problem, Type.Null()])),
  token: optional(Token),
  network_transaction_id: optional(ProviderReference),
  capture_before_at: optional(Time),
  check_after_ms: optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
  settles_at: optional({
    ...Time,
    description: 'For a pending debit: when you expect the result of the bank.',
  }),
})
export type OperationRecord = Static<typeof OperationRecord>

export const maxListed = 100

/** A page of records. Records of operations that were declined, rejected or closed are ignored. */
export const OperationList = Type.Object({
  operations: Type.Array(
    Type.Object({
      ...OperationRecord.properties,
      capture: optional(Type.Boolean({ description: 'For an authorization: as requested.' })),
      parent_reference: optional(
        Type.String({ description: 'For a capture, void or refund: as requested.' }),
      ),
      payment_id: optional(Type.String({ maxLength: 64, description: 'As requested.' })),
      created_at: { ...Time, description: 'When you received the operation.' },
    }),
    { maxItems: maxListed },
  ),
  next: nullable(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,200}$',
      description: '`cursor` of the next page. Null: this is the last page.',
    }),
  ),
})

export const DisputeRecord = Type.Object({
  id: Type.String({
    // Not `.` or `..`: the id is part of a path, where these have another meaning.
    pattern: '^(?!\\.{1,2}$)[^\\u0000-\\u001f\\u007f]{1,255}$',
    description: 'Your own ID of the dispute. It is the same in all callbacks about the dispute.',
    examples: ['dp_7Yt1'],
  }),
  parent_reference: Type.String({
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description: 'Reference of the authorization that is disputed.',
    examples: ['01M7CYVGQTEAKSNTBFR026MPQ1-1'],
  }),
  stage: OneOf(disputeStages),
  status: OneOf(reportedDisputeStatuses, {
    description:
      '`needs_response`: the merchant can respond. `under_review`: the bank decides. `closed`: an inquiry ended without a chargeback.',
  }),
  amount: Type.Integer({
    minimum: 1,
    maximum: 999_999_999_999,
    description: 'Disputed amount in minor units.',
  }),
  currency: Currency,
  reason: OneOf(disputeReasons),
  network_reason_code: optional(
    Type.String({ maxLength: 100, description: 'Reason code of the card network.', examples: ['10.4'] }),
  ),
  respond_by_at: optional(Time),
  withdrawn: Type.Boolean({
    description: 'Whether you have withdrawn the amount from the balance of the merchant.',
  }),
  fee: Type.Optional(
    Type.Union(
      [
        Type.Object({
          amount: Type.Integer({ minimum: 0, maximum: 999_999_999_999 }),
          currency: Currency,
        }),
        Type.Null(),
      ],
      { description: 'Sum of your fees for the dispute.' },
    ),
  ),
  updated_at: {
    ...Time,
    description:
      'Time of this state of the dispute. A record that is older than another one of the dispute is ignored.',
  },
})
export type DisputeRecord = Static<typeof DisputeRecord>

/** A response without a record. */
export const ErrorResponse = Type.Object({ reference: optional(Reference), error: Problem })
/**
 * With 401 or 403: any JSON without statements about an operation. Members of a record would contradict the
 * rejection.
 */
export const Unauthorized = Type.Object({
  processed: Type.Optional(Type.Literal(false)),
  status: Type.Optional(Type.Union([Type.Literal('rejected'), Type.Integer()])),
  provider_reference: Type.Optional(Type.Null()),
})
/**
 * With 429 or 503: the request was rejected without being processed. Any other status invalidates the proof.
 */
export const NotProcessed = Type.Object({
  processed: Type.Literal(false),
  status: Type.Optional(Type.Literal('rejected')),
})

/** With 4XX: a response to a dispute was refused, and nothing was processed. */
export const Rejection = Type.Object({ processed: Type.Literal(false), error: Problem })

const Sha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'Hexadecimal SHA-256 hash of the content.',
})

export const EvidenceRequest = Type.Object({
  reference: Reference,
  evidence: Type.Object(Object.fromEntries(evidenceFields.map((field) => [field, Type.Optional(Text)])), {
    description: 'Text fields of the merchant. Ignore unknown ones.',
  }),
  files: Type.Array(
    Type.Object({
      sha256: Sha256,
      name: Text,
      purpose: OneOf(filePurposes),
      content_type: OneOf(fileContentTypes),
      size: Type.Integer({ minimum: 1, maximum: 5_242_880, description: 'Size in bytes.' }),
    }),
    { maxItems: 10, description: 'Files that were uploaded with `PUT /files/{sha256}`.' },
  ),
})

export const AcceptRequest = Type.Object({ reference: Reference })

export const CompleteRequest = Type.Object({
  return_params: Type.Object(
    {},
    { description: 'Query parameters and form fields that the payer’s browser returned with, as strings.' },
  ),
})

const list = (description: string) =>
  Type.Union([Type.Literal('all'), Type.Array(Type.String(), { maxItems: 300 })], { description })

const MethodTerms = Type.Object({
  flow: OneOf(['direct', 'redirect']),
  reusable: Type.Boolean({ description: 'Whether you return a token with which it can be charged again.' }),
  confirm_days: Type.Integer({
    minimum: 0,
    maximum: 30,
    description: 'Business days until a payment is confirmed, at most.',
  }),
  new_mandate_days: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30,
      description:
        'Business days from the registration of a mandate until its first debit is confirmed, if that takes longer, as with Bacs.',
    }),
  ),
  refund: Type.Boolean(),
  currencies: Type.Array(Currency, { minItems: 1, maxItems: 300 }),
  countries: list('Supported countries of bank accounts, in uppercase.'),
})

export const ReturnRecord = Type.Object({
  id: Type.String({
    pattern: '^[^\\u0000-\\u001f\\u007f]{1,255}$',
    description: 'Your own ID of the return.',
    examples: ['ret_7Yt1'],
  }),
  parent_reference: Type.String({
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description: 'Reference of the debit that the bank returned.',
    examples: ['01M7CYVGQTEAKSNTBFR026MPQ1-1'],
  }),
  amount: Type.Integer({
    minimum: 1,
    maximum: 999_999_999_999,
    description: 'Returned amount in minor units.',
  }),
  currency: Currency,
  reason_code: optional(
    Type.String({ maxLength: 100, description: 'Reason code of the bank.', examples: ['MD06'] }),
  ),
})
export type ReturnRecord = Static<typeof ReturnRecord>

export const Manifest = Type.Object({
  protocol: Type.Literal(1),
  capabilities: Type.Object({
    kinds: Type.Array(Kind, { minItems: 1 }),
    brands: list('Supported card brands, in lowercase.'),
    currencies: list('Supported currencies, in lowercase.'),
    countries: list('Supported countries of card issuers, in uppercase.'),
    amount: Type.Optional(Type.Union([Type.Object({ min: Amount, max: Amount }), Type.Null()])),
    manual_capture: Type.Boolean(),
    multi_capture: Type.Boolean(),
    partial_refund: Type.Boolean(),
    three_d_secure: Type.Boolean(),
    off_session: Type.Boolean(),
    methods: Type.Optional(
      Type.Object(
        {
          sepa_debit: Type.Optional(MethodTerms),
          ach_debit: Type.Optional(MethodTerms),
          bacs_debit: Type.Optional(MethodTerms),
          ideal: Type.Optional(MethodTerms),
          bancontact: Type.Optional(MethodTerms),
          paypal: Type.Optional(MethodTerms),
        },
        { description: 'Supported payment methods other than cards. None by default.' },
      ),
    ),
  }),
  timeout_ms: Type.Integer({
    minimum: 1,
    maximum: 60_000,
    description: 'Maximum response time in milliseconds. Switchyard waits up to 65 seconds.',
  }),
  features: Type.Object({
    lookup: Type.Boolean(),
    close: Type.Boolean(),
    complete: Type.Boolean(),
    tokens: Type.Boolean(),
    vault: Type.Optional(
      Type.Boolean({
        description:
          'Whether you put the stand-ins of `Switchyard-Stand-Ins` back before you verify a signature, so that a card vault can forward requests. False by default.',
      }),
    ),
    disputes: Type.Optional(
      Type.Boolean({ description: 'Whether you accept responses to disputes. False by default.' }),
    ),
    list: Type.Optional(
      Type.Boolean({ description: 'Whether you support `GET /operations`. False by default.' }),
    ),
    replay: Type.Optional(
      Type.Boolean({
        description:
          'Whether a repeated request returns the original result. False if a repeat is processed again, which a custom provider must not do.',
      }),
    ),
  }),
})
export type Manifest = Static<typeof Manifest>

export const Callback = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Unique ID of the callback, for deduplication.',
    examples: ['evt_1'],
  }),
  type: Type.String({
    description: '`operation.updated`, `refund.created`, `dispute.updated` or `debit.returned`.',
  }),
  operation: Type.Optional(Type.Unknown({ description: 'Record of the operation.' })),
  dispute: Type.Optional(Type.Unknown({ description: 'Record of the dispute, in `dispute.updated`.' })),
  return: Type.Optional(Type.Unknown({ description: 'Record of the return, in `debit.returned`.' })),
})

const Secrets = Type.Array(Type.String({ pattern: '^psec_[A-Za-z0-9_-]{16,200}$' }), {
  minItems: 1,
  maxItems: 2,
  description: 'Secrets, newest first. There are two during a rotation.',
})

export const CustomConfig = Type.Object({
  base_url: Type.String({ maxLength: 1_024, pattern: '^https?://[^\\u0000-\\u0020?#]+$' }),
  secrets: Secrets,
  manifest: Type.Optional(Manifest),
})
export type CustomConfig = Static<typeof CustomConfig>

const OptionalFlag = Type.Optional(Type.Boolean())

/** The capabilities of the simulator, and the protocol violations that it simulates. */
export const SimulatorConfig = Type.Object({
  ...CustomConfig.properties,
  auth_rate: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  latency_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
  outage: Type.Optional(Type.Object({ from_at: Time, until_at: Time })),
  replay: OptionalFlag,
  lookup: OptionalFlag,
  lookup_lag_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_600_000 })),
  close: OptionalFlag,
  webhooks: Type.Optional(OneOf(['on', 'off', 'twice', 'reordered'])),
})
export type SimulatorConfig = Static<typeof SimulatorConfig>
