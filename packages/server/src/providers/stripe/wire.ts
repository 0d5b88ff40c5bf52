/**
 * The members of Stripe objects that the connector reads, as defined by the API version below. Every call sends that
 * version. Additional members are ignored.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { nullable } from '../../kernel/shapes.ts'

/** The API version of npm package `stripe` 23.1. Newer versions may name or interpret members differently. */
export const apiVersion = '2026-10-28.endive'

/** Metadata of the objects that the connector creates. */
export const referenceKey = 'switchyard_reference'
export const paymentKey = 'switchyard_payment_id'
/** The reference of the latest capture of a PaymentIntent. */
export const captureKey = 'switchyard_capture'

const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Text = Type.String()
const Currency = Type.String({ pattern: '^[a-z]{3}$' })
export const Seconds = Type.Integer({ minimum: 0, maximum: 99_999_999_999 })
const Metadata = Type.Record(Type.String(), Type.String())
const id = (prefix: string) => Type.String({ pattern: `^${prefix}_[A-Za-z0-9_]{1,240}$` })
const optionalText = Type.Optional(nullable(Text))
const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const optional = <S extends TSchema>(schema: S) => Type.Optional(orNull(schema))

/** An error, as a response or as the last error of an intent. */
const errorMembers = {
  type: Text,
  code: optionalText,
  decline_code: optionalText,
  message: optionalText,
  network_decline_code: optionalText,
  network_advice_code: optionalText,
  advice_code: optionalText,
  payment_method: optional(Type.Object({ card: optional(Type.Object({ brand: optionalText })) })),
}
const LastError = Type.Object(errorMembers)
export type StripeError = Static<typeof LastError>

const NextAction = Type.Object({
  type: Text,
  redirect_to_url: optional(Type.Object({ url: nullable(Text) })),
})

const Charge = Type.Object({
  id: Text,
  object: Type.Literal('charge'),
  amount: Amount,
  amount_captured: Amount,
  captured: Type.Boolean(),
  currency: Currency,
  failure_code: optionalText,
  paid: Type.Boolean(),
  status: Text,
  payment_method_details: optional(
    Type.Object({
      card: optional(
        Type.Object({ capture_before: optional(Seconds), network_transaction_id: optionalText }),
      ),
    }),
  ),
})

/** `latest_charge` is an object only where the call expands it. */
export const PaymentIntent = Type.Object({
  id: id('pi'),
  object: Type.Literal('payment_intent'),
  amount: Amount,
  amount_capturable: Amount,
  amount_received: Amount,
  capture_method: Text,
  created: Seconds,
  currency: Currency,
  customer: optionalText,
  last_payment_error: optional(LastError),
  latest_charge: Type.Union([Charge, Text, Type.Null()]),
  livemode: Type.Boolean(),
  metadata: Metadata,
  next_action: optional(NextAction),
  payment_method: optionalText,
  setup_future_usage: optionalText,
  status: Text,
})
export type PaymentIntent = Static<typeof PaymentIntent>

export const SetupIntent = Type.Object({
  id: id('seti'),
  object: Type.Literal('setup_intent'),
  created: Seconds,
  customer: optionalText,
  last_setup_error: optional(LastError),
  livemode: Type.Boolean(),
  metadata: orNull(Metadata),
  next_action: optional(NextAction),
  payment_method: optionalText,
  status: Text,
})
export type SetupIntent = Static<typeof SetupIntent>

export const Refund = Type.Object({
  id: id('(?:re|pyr)'),
  object: Type.Literal('refund'),
  amount: Amount,
  balance_transaction: optionalText,
  currency: Currency,
  failure_reason: optionalText,
  metadata: orNull(Metadata),
  payment_intent: nullable(Text),
  status: nullable(Text),
})
export type Refund = Static<typeof Refund>

/** Amounts of balance transactions are negative if Stripe withdraws them, and in the currency of the balance. */
const SignedAmount = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
const BalanceTransaction = Type.Object({ amount: SignedAmount, fee: SignedAmount, currency: Currency })

export const Dispute = Type.Object({
  id: id('(?:dp|du)'),
  object: Type.Literal('dispute'),
  amount: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  balance_transactions: optional(Type.Array(BalanceTransaction)),
  currency: Currency,
  evidence_details: optional(Type.Object({ due_by: optional(Seconds) })),
  network_reason_code: optionalText,
  payment_intent: nullable(Text),
  reason: Text,
  status: Text,
})
export type Dispute = Static<typeof Dispute>

/** `total_count` is present because the call expands it. */
export const SearchResult = Type.Object({
  object: Type.Literal('search_result'),
  data: Type.Array(PaymentIntent),
  has_more: Type.Boolean(),
  total_count: Type.Integer({ minimum: 0 }),
})

export const listOf = <S extends TSchema>(schema: S) =>
  Type.Object({ object: Type.Literal('list'), data: Type.Array(schema), has_more: Type.Boolean() })
export const RefundList = listOf(Refund)
export const SetupIntentList = listOf(SetupIntent)

/** An error response. It contains the intent that the request was about, if there is one. */
export const ErrorResponse = Type.Object({
  error: Type.Object({
    ...errorMembers,
    charge: optionalText,
    payment_intent: optional(PaymentIntent),
    setup_intent: optional(SetupIntent),
  }),
})
export type ErrorResponse = Static<typeof ErrorResponse>

/** An error that refers to no charge, PaymentIntent or SetupIntent. */
export const PlainError = Type.Object({
  error: Type.Object({
    type: Text,
    charge: Type.Optional(Type.Null()),
    payment_intent: Type.Optional(Type.Null()),
    setup_intent: Type.Optional(Type.Null()),
  }),
})

export const PaymentMethod = Type.Object({
  id: id('pm'),
  object: Type.Literal('payment_method'),
  customer: nullable(Text),
})

export const Customer = Type.Object({ id: id('cus'), object: Type.Literal('customer') })

/** An error about a PaymentMethod contains the PaymentMethod, which shows whether it is already detached. */
export const DetachError = Type.Object({
  error: Type.Object({ code: optionalText, payment_method: optional(PaymentMethod) }),
})

export const Event = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 255 }),
  object: Type.Literal('event'),
  type: Text,
  created: Type.Optional(Seconds),
  api_version: optionalText,
  data: Type.Object({ object: Type.Unknown() }),
})

/** The configuration of an account. */
export const Config = Type.Object({
  base_url: Type.String({ maxLength: 1_024, pattern: '^https?://[^\\u0000-\\u0020?#]+$' }),
  settings: Type.Object({
    request_multicapture: Type.Optional(Type.String({ pattern: '^(if_available|never)$' })),
  }),
  credentials: Type.Object({
    secret_key: Type.String({ pattern: '^(sk|rk)_(live|test)_[A-Za-z0-9_]{8,500}$' }),
  }),
  webhook_secrets: Type.Object({
    signing_secret: Type.Optional(Type.Array(Type.String({ pattern: '^whsec_[A-Za-z0-9+/=_-]{8,500}$' }))),
  }),
})
