/**
 * The provider interface: data and pure functions. `build` describes the call to make, and `parse` interprets
 * the response; the core owns sockets, time, secrets and logs. A provider must not guess: for a response it
 * cannot read it throws or returns `unknown`, and the core never treats either as a failure.
 */
import type { TSchema } from 'typebox'
import type { Money } from '../kernel/money.ts'
import type { Outbound } from '../platform/outbound/outbound.ts'

/**
 * `authorize` has `capture`: whether the money is captured immediately. `verify` is a zero-amount
 * authorization.
 */
export const operationKinds = ['verify', 'authorize', 'capture', 'void', 'refund'] as const
export type OperationKind = (typeof operationKinds)[number]

export type Fault = { readonly code: string; readonly message: string }

/** `code` is our own code (see declines); the other members are those of the provider and only displayed. */
export type Decline = {
  readonly code: string
  readonly networkCode?: string
  readonly adviceCode?: string
  readonly message?: string
}

/** An action that the payer must complete before the provider continues. */
export type PayerAction = { readonly type: 'redirect'; readonly url: string }

/** The discriminant `is` is part of stored provider events, so it must not be renamed. */
export type Outcome =
  | {
      readonly is: 'succeeded'
      readonly ref: string
      /**
       * The amount that the provider reports as processed. It is compared with the request, and never
       * adopted.
       */
      readonly money: Money
      readonly extra?: {
        readonly token?: string
        readonly networkTransactionId?: string
        readonly captureBeforeAt?: Date
      }
    }
  | { readonly is: 'pending'; readonly ref: string; readonly checkAfterMs?: number }
  | { readonly is: 'action'; readonly ref: string; readonly action: PayerAction; readonly expiresAt: Date }
  | { readonly is: 'declined'; readonly ref?: string; readonly decline: Decline }
  /**
   * Rejected, with proof that nothing was processed. `thisCallOnly`: the proof covers this call, not an
   * earlier one with the same reference ("too busy", "wrong signature"), so it proves nothing in a repeat.
   */
  | { readonly is: 'rejected'; readonly fault: Fault; readonly thisCallOnly?: true }
  | { readonly is: 'unknown'; readonly ref?: string; readonly fault: Fault }

/** The result of a lookup. `closed`: proof that the operation never happened and never will. */
export type Found = Outcome | { readonly is: 'absent' } | { readonly is: 'closed' }

export type Instrument =
  | {
      readonly type: 'card'
      readonly number: string
      readonly expMonth: number
      readonly expYear: number
      readonly cvc?: string
      readonly name?: string
    }
  | { readonly type: 'token'; readonly token: string }

/** Everything a call may contain. Equal input always gives equal bytes, so that a repeat is identical. */
export type OperationInput = {
  readonly kind: OperationKind
  /** The idempotency key and merchant reference. */
  readonly reference: string
  /** The operation that a capture, void or refund acts on. */
  readonly parent: { readonly reference: string; readonly providerReference: string | null } | null
  readonly mode: 'live' | 'test'
  readonly money: Money
  /** Whether an authorization is captured immediately. */
  readonly capture: boolean
  readonly initiator: 'customer' | 'merchant'
  readonly storedCredential: {
    readonly use: 'none' | 'first' | 'subsequent'
    readonly networkTransactionId: string | null
  }
  /** Null for operations that act on an earlier operation. */
  readonly instrument: Instrument | null
  readonly paymentId: string
  readonly returnUrl: string | null
  readonly threeDSecure: 'auto' | 'required'
  readonly customer: { readonly id: string; readonly email: string | null } | null
  readonly billing: Readonly<Record<string, unknown>> | null
  readonly statementDescriptor: string | null
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
}

export type LookupInput = Pick<OperationInput, 'kind' | 'reference' | 'mode' | 'money'> & {
  readonly providerReference: string | null
}

/** Input after the payer returned. The return parameters are passed on unchanged and not interpreted. */
export type CompleteInput = LookupInput & { readonly returnParams: Readonly<Record<string, string>> }

export type ForgetInput = { readonly token: string }

export type HttpCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The complete address. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The body as text, built once: the sent bytes are the hashed and signed ones. */
  readonly body: string | null
}

export type HttpReply = {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends HTTP requests for the core. It never throws and never follows a redirect. */
export type Sender = Pick<Outbound, 'send'>

/** `build` may sign, so it receives the time; the same time gives the same bytes. */
export type Step<In, Out, Config> = {
  build(input: In, context: { readonly config: Config; readonly now: Date }): HttpCall
  parse(reply: HttpReply, input: In): Out
}

export type Capabilities = {
  readonly kinds: readonly OperationKind[]
  readonly brands: readonly string[] | 'all'
  readonly currencies: readonly string[] | 'all'
  readonly countries: readonly string[] | 'all'
  readonly amount: { readonly min: number; readonly max: number } | null
  readonly manualCapture: boolean
  readonly multiCapture: boolean
  readonly partialRefund: boolean
  readonly threeDSecure: boolean
  readonly offSession: boolean
}

/** How an operation with an unknown outcome is resolved. */
export type Resolution = {
  /** How long a repeated call with the same reference returns the first response. 0: never. */
  readonly replayHours: number
  readonly lookup: 'reference' | 'provider_id' | 'none'
  /** Whether an operation can be closed, so that it can never happen. */
  readonly close: boolean
  /** After this time an operation that the provider does not know counts as not processed; null: never. */
  readonly absentIsFinalAfterMinutes: number | null
}

export type ProviderEvent = {
  /** Events with the same key are one event. */
  readonly dedupeKey: string
  readonly reference: string | null
  readonly providerReference: string | null
  /** The reported kind of operation, if any. It is compared with the kind of our operation. */
  readonly kind?: OperationKind
  /** Null: something happened, and a lookup is needed. */
  readonly found: Found | null
  /** A refund made at the provider, of the operation that `reference` names. */
  readonly refund?: { readonly reference: string; readonly providerReference: string; readonly money: Money }
}

export type Verdict = 'valid' | 'invalid' | 'unsigned'

export type IncomingCall = {
  readonly method: string
  /** Path and query, as received. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The capabilities of an account, and how its unknown outcomes are resolved. */
export type Terms = { readonly capabilities: Capabilities; readonly resolve: Resolution }

export type Provider<Config = unknown> = {
  readonly id: string
  /** The configuration of an account, including secrets, which are sealed. */
  readonly config: TSchema
  readonly capabilities: Capabilities
  readonly resolve: Resolution
  readonly operations: { readonly [K in OperationKind]?: Step<OperationInput, Outcome, Config> }
  readonly complete?: Step<CompleteInput, Outcome, Config>
  readonly lookup?: Step<LookupInput, Found, Config>
  readonly close?: Step<LookupInput, Found, Config>
  readonly health?: Step<null, boolean, Config>
  /** Deletes a stored card. True once it is deleted. */
  readonly forget?: Step<ForgetInput, boolean, Config>
  /** The terms of an account with these settings. Without this function, those of the provider apply. */
  narrow?(config: Config): Terms
  readonly webhooks?: {
    verify(call: IncomingCall, context: { readonly config: Config; readonly now: Date }): Verdict
    parse(body: Uint8Array): readonly ProviderEvent[]
  }
}
