/**
 * The interface of tax providers: services that compute the tax of an invoice and record it for tax returns. Data and pure
 * functions, like connectors of payment providers: the core owns sockets, time and secrets. A provider must not guess: if
 * it cannot read a response, it throws or returns `unknown`, and the core repeats the call.
 */
import type { Mode } from '../kernel/id.ts'
import type { TaxDocument, TaxInput, TaxQuote, TaxRecord, TaxReversal } from '../kernel/tax-quotes.ts'
import type { Fault, HttpCall, HttpReply } from '../providers/contract.ts'
import type { TaxProviderName } from './tax-provider-names.ts'

/** A value that the merchant copies from the provider. */
export type TaxField = {
  readonly name: string
  readonly label: string
  /** Where the merchant finds the value at the provider. */
  readonly help: string
  readonly required: boolean
  /** A secret is encrypted, and never returned. */
  readonly isSecret: boolean
  /** A regular expression for the values of each environment. */
  readonly pattern: { readonly [M in Mode]: string }
}

/** The values of the fields, by name. `emulator_url` is set if the simulator replaces the provider. */
export type TaxConfig = Readonly<Record<string, string>> & { readonly emulator_url?: string }

export type TaxContext = { readonly config: TaxConfig; readonly mode: Mode; readonly now: Date }

/** `build` makes the call, and `parse` interprets the response. A repeated call with the same input is identical. */
export type TaxStep<In, Out> = {
  build(input: In, context: TaxContext): HttpCall
  parse(reply: HttpReply, input: In): Out
}

/**
 * `rejected`: the provider refuses the input or the credentials, and repeating the call does not help until something is
 * corrected. `unknown`: no conclusive response. The provider may have processed the call.
 */
export type TaxFailure = { readonly is: 'rejected' | 'unknown'; readonly fault: Fault }

/** The response has only some of the lines. A step of `lines` reads all of them. */
export type Incomplete = {
  readonly is: 'incomplete'
  readonly of: 'calculations' | 'transactions'
  readonly ref: string
}

export type QuoteOutcome =
  | { readonly is: 'quoted'; readonly quote: Omit<TaxQuote, 'taxDate'> }
  | Incomplete
  | TaxFailure
export type RecordOutcome = { readonly is: 'recorded'; readonly record: TaxRecord } | Incomplete | TaxFailure

/** The input of the steps of `lines`: an object that was returned without all of its lines, and the document that it belongs to. */
export type LinesInput = {
  readonly incomplete: Incomplete
  readonly document: { readonly input: TaxInput } | TaxDocument
}

/** The fault, as the rest of a sentence that starts with the name of the provider; null if there is none. */
export type CheckOutcome = { readonly fault: string | null }

export type TaxProvider = {
  readonly id: TaxProviderName
  /** The name of the service, such as `Stripe Tax`. */
  readonly name: string
  readonly fields: readonly TaxField[]
  /** Values of the fields if the simulator replaces the provider. */
  readonly emulated: Readonly<Record<string, string>>
  /** Computes the tax. Nothing is recorded. */
  readonly quote: TaxStep<{ readonly input: TaxInput }, QuoteOutcome>
  /** Records a sale. A repeated call with the same reference records nothing more. */
  readonly commit: TaxStep<TaxDocument, RecordOutcome>
  /** Reverses all or part of a recorded sale. A repeated call with the same reference records nothing more. */
  readonly reverse: TaxStep<TaxReversal, RecordOutcome>
  readonly lines?: {
    readonly quote: TaxStep<LinesInput, QuoteOutcome>
    readonly record: TaxStep<LinesInput, RecordOutcome>
  }
  /** A call that changes nothing, made to check the credentials. */
  readonly check: TaxStep<null, CheckOutcome>
  /** Sources of the facts that the connector relies on, with dates, and what could not be verified. */
  readonly page: {
    readonly sources: readonly { readonly fact: string; readonly url: string; readonly date: string }[]
    readonly unverified: readonly string[]
  }
}
