/**
 * What a provider is to us: data and pure functions. `build` says which call to make, `parse` what its reply
 * means; the core owns sockets, time, secrets and logs. What a provider cannot read it does not guess: it
 * throws or says `unknown`, and the core never takes either as a failure.
 */
import type { TSchema } from 'typebox'
import type { Money } from '../kernel/money.ts'
import type { Outbound } from '../platform/outbound/outbound.ts'

/** `authorize` carries `capture`: whether the money is taken at once. `verify` is an authorization of nothing. */
export const operationKinds = ['verify', 'authorize', 'capture', 'void', 'refund'] as const
export type OperationKind = (typeof operationKinds)[number]

export type Fault = { readonly code: string; readonly message: string }

/** `code` is one of ours (see declines); the others are the provider's words, for people. */
export type Decline = {
  readonly code: string
  readonly networkCode?: string
  readonly adviceCode?: string
  readonly message?: string
}

/** What the payer has to do before the provider goes on. */
export type PayerAction = { readonly type: 'redirect'; readonly url: string }

export type Outcome =
  | {
      readonly is: 'succeeded'
      readonly ref: string
      /** What the provider says it moved. It is compared with what we asked for, and never taken over. */
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
   * Refused, with proof that nothing was processed. `thisCallOnly`: the proof holds for this call, not for an
   * earlier one with the same reference ("too busy", "wrong signature"), so a repeat learns nothing by it.
   */
  | { readonly is: 'rejected'; readonly fault: Fault; readonly thisCallOnly?: true }
  | { readonly is: 'unknown'; readonly ref?: string; readonly fault: Fault }

/** What a look at the provider's books shows. `closed`: proof that it never was, and never will be. */
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

/** Everything a call may be made of. Equal input gives equal bytes, for ever: a repeat must be a repeat. */
export type OperationInput = {
  readonly kind: OperationKind
  /** Idempotency key and merchant reference in one. */
  readonly reference: string
  /** Of the operation that this one is about: capture, void and refund have one. */
  readonly parent: { readonly reference: string; readonly providerReference: string | null } | null
  readonly mode: 'live' | 'test'
  readonly money: Money
  /** Whether an authorization takes the money at once. */
  readonly capture: boolean
  readonly initiator: 'customer' | 'merchant'
  readonly storedCredential: {
    readonly use: 'none' | 'first' | 'subsequent'
    readonly networkTransactionId: string | null
  }
  /** Null for what is done to an earlier operation. */
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

/** After the payer came back. What the address carried is handed on as it is, and decides nothing here. */
export type CompleteInput = LookupInput & { readonly returnParams: Readonly<Record<string, string>> }

export type ForgetInput = { readonly token: string }

export type HttpCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The whole address. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The bytes as text, made once: what was hashed and signed is what is sent. */
  readonly body: string | null
}

export type HttpReply = {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The way out, which is the core's. It never throws and never follows a redirect. */
export type Sender = Pick<Outbound, 'send'>

/** `build` may sign, so it is told the time; the same instant gives the same bytes. */
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

/** How an operation whose outcome is not known comes to an end. */
export type Resolution = {
  /** For so long the same call with the same reference gives the first one's answer. 0: never. */
  readonly replayHours: number
  readonly lookup: 'reference' | 'provider_id' | 'none'
  /** Whether it can be made sure that an operation never happens. */
  readonly close: boolean
  /** After this an operation that is not in their books counts as not processed; null: never. */
  readonly absentIsFinalAfterMinutes: number | null
}

export type ProviderEvent = {
  /** Two with one key are one event. */
  readonly dedupeKey: string
  readonly reference: string | null
  readonly providerReference: string | null
  /** Which kind of operation they say it is, if they say; it is compared with ours. */
  readonly kind?: OperationKind
  /** Null: something happened, and a look is needed to know what. */
  readonly found: Found | null
  /** Money that they gave back by themselves, of the operation that `reference` names. */
  readonly refund?: { readonly reference: string; readonly providerReference: string; readonly money: Money }
}

export type Verdict = 'valid' | 'invalid' | 'unsigned'

export type IncomingCall = {
  readonly method: string
  /** Path and query, as they came. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** What an account can do, and how its unknown outcomes come to an end. */
export type Terms = { readonly capabilities: Capabilities; readonly resolve: Resolution }

export type Provider<Config = unknown> = {
  readonly id: string
  /** What an account is configured with, secrets included; these are sealed. */
  readonly config: TSchema
  readonly capabilities: Capabilities
  readonly resolve: Resolution
  readonly operations: { readonly [K in OperationKind]?: Step<OperationInput, Outcome, Config> }
  readonly complete?: Step<CompleteInput, Outcome, Config>
  readonly lookup?: Step<LookupInput, Found, Config>
  readonly close?: Step<LookupInput, Found, Config>
  readonly health?: Step<null, boolean, Config>
  /** Forgets a stored card. True once it is gone. */
  readonly forget?: Step<ForgetInput, boolean, Config>
  /** What is left of the provider's terms for an account that is set up so. Without it, all. */
  narrow?(config: Config): Terms
  readonly webhooks?: {
    verify(call: IncomingCall, context: { readonly config: Config; readonly now: Date }): Verdict
    parse(body: Uint8Array): readonly ProviderEvent[]
  }
}
