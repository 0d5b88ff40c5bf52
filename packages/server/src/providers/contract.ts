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

/** The types of payment methods. */
export const methodTypes = [
  'card',
  'sepa_debit',
  'ach_debit',
  'bacs_debit',
  'ideal',
  'bancontact',
  'paypal',
] as const
export type MethodType = (typeof methodTypes)[number]
/** Debits of a bank account. The bank confirms them days later, and can return them after that. */
export const debitTypes = ['sepa_debit', 'ach_debit', 'bacs_debit'] as const satisfies readonly MethodType[]
export type DebitType = (typeof debitTypes)[number]

export function isDebit(type: string): type is DebitType {
  return (debitTypes as readonly string[]).includes(type)
}

/** The payer approves each payment on a page of the provider. Switchyard has no account details of the payer. */
export const redirectTypes = ['ideal', 'bancontact', 'paypal'] as const satisfies readonly MethodType[]
export type RedirectType = (typeof redirectTypes)[number]

export function isRedirect(type: string): type is RedirectType {
  return (redirectTypes as readonly string[]).includes(type)
}

/** The types other than cards, which `Capabilities.methods` lists. */
export const otherMethodTypes = [...debitTypes, ...redirectTypes] as const

/** What a provider can do with a type of payment method other than cards. */
export type MethodTerms = {
  /** `direct`: the payer enters the details. `redirect`: the payer approves the payment on a page of the provider. */
  readonly flow: 'direct' | 'redirect'
  /** Whether it can be saved and charged again. */
  readonly reusable: boolean
  /** The maximum number of business days until the payment is confirmed. 0: immediately. */
  readonly confirmDays: number
  /** Business days from the registration of a mandate until its first debit is confirmed, if that takes longer. */
  readonly newMandateDays?: number
  readonly refund: boolean
  readonly currencies: readonly string[]
  /**
   * The countries of the bank account. For a redirect, which has no bank account: the countries in which payers use
   * it.
   */
  readonly countries: readonly string[] | 'all'
}

const sepaCountries =
  'AD AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MC MT NL NO PL PT RO SE SI SK SM VA'

/** The terms of SEPA debits, which the scheme defines. */
export const sepaDebit: MethodTerms = {
  flow: 'direct',
  reusable: true,
  confirmDays: 14,
  refund: true,
  currencies: ['eur'],
  countries: sepaCountries.split(' '),
}

/** The terms of ACH debits, which Nacha defines. */
export const achDebit: MethodTerms = {
  flow: 'direct',
  reusable: true,
  confirmDays: 4,
  refund: true,
  currencies: ['usd'],
  countries: ['US'],
}

/** The terms of Bacs debits. The bank of the payer registers a new mandate before the first debit. */
export const bacsDebit: MethodTerms = {
  flow: 'direct',
  reusable: true,
  confirmDays: 4,
  newMandateDays: 7,
  refund: true,
  currencies: ['gbp'],
  countries: ['GB'],
}

/** The currency in which a method is verified, unless the request names another: a debit scheme has only one. */
export function verificationCurrency(type: MethodType): 'eur' | 'usd' | 'gbp' {
  if (type === 'ach_debit') return 'usd'
  return type === 'bacs_debit' ? 'gbp' : 'eur'
}

/** The terms of a method that the payer approves on a page of the provider, immediately and for one payment. */
function redirectTerms(currencies: readonly string[], countries: MethodTerms['countries']): MethodTerms {
  return { flow: 'redirect', reusable: false, confirmDays: 0, refund: true, currencies, countries }
}

export const ideal = redirectTerms(['eur'], ['NL'])
export const bancontact = redirectTerms(['eur'], ['BE'])
/** A provider supports PayPal in the currencies that it has agreed with PayPal. */
export const paypalIn = (currencies: readonly string[]) => redirectTerms(currencies, 'all')

export type Fault = { readonly code: string; readonly message: string }

/** `code` is our own code (see declines); the other members come from the provider and are only displayed. */
export type Decline = {
  readonly code: string
  readonly networkCode?: string
  readonly adviceCode?: string
  readonly message?: string
}

/** An action that the payer must complete before the provider continues. `form`: the page is opened with a POST. */
export type PayerAction =
  | { readonly type: 'redirect'; readonly url: string }
  | { readonly type: 'form'; readonly url: string; readonly fields: Readonly<Record<string, string>> }

/** The discriminant `is` is part of stored provider events, so it must not be renamed. */
export type Outcome =
  | {
      readonly is: 'succeeded'
      readonly ref: string
      /**
       * The amount that the provider reports as processed. It is compared with the requested amount, and
       * never replaces it.
       */
      readonly money: Money
      readonly extra?: {
        readonly token?: string
        readonly networkTransactionId?: string
        readonly captureBeforeAt?: Date
      }
    }
  /** `settlesAt`: when the provider expects the result of a debit that it has submitted to the bank. */
  | {
      readonly is: 'pending'
      readonly ref: string
      readonly checkAfterMs?: number
      readonly settlesAt?: Date
    }
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

/**
 * A card number and its CVC may be stand-ins, which a card vault replaces on the way to the provider. So a connector must
 * not inspect, sign or encode them, and reads what it needs to know about the card from the other members.
 */
export type Instrument =
  | {
      readonly type: 'card'
      readonly number: string
      /** Set if number and CVC are stand-ins. */
      readonly isStandIn?: true
      readonly brand: string
      /** The first six digits; null if unknown. */
      readonly bin: string | null
      readonly last4: string
      readonly expMonth: number
      readonly expYear: number
      readonly cvc?: string
      readonly name?: string
    }
  | { readonly type: 'token'; readonly token: string }

/**
 * The debit of a bank account. `account` is null if the account is saved at the provider: then the instrument is its
 * token.
 */
export type Debit = {
  readonly type: DebitType
  readonly mandate: Mandate
  readonly account: BankAccount | null
}

export const accountTypes = ['checking', 'savings'] as const

/** The number of a bank account, as the scheme of the debit defines it. */
export type AccountNumber =
  | { readonly iban: string }
  | {
      readonly routingNumber: string
      readonly accountNumber: string
      readonly accountType: (typeof accountTypes)[number]
    }
  | { readonly sortCode: string; readonly accountNumber: string }

export type BankAccount = AccountNumber & { readonly holderName: string; readonly email: string }

/** A payment that the payer approves on a page of the provider. `holderName` is null if it is unknown. */
export type Redirect = { readonly type: RedirectType; readonly holderName: string | null }

/** The payer's permission to debit a bank account. */
export type Mandate = {
  readonly reference: string
  /** As an RFC 3339 timestamp. */
  readonly acceptedAt: string
}

/** The payer's browser, which 3-D Secure 2 requires. Null: unknown. */
export type Device = {
  readonly ip: string | null
  readonly userAgent: string | null
  readonly acceptHeader: string | null
  /** Such as `de-AT`. */
  readonly language: string | null
  readonly colorDepth: number | null
  readonly screenWidth: number | null
  readonly screenHeight: number | null
  /** Minutes between UTC and local time, positive west of UTC, as browsers report it. */
  readonly timeZoneOffsetMinutes: number | null
  readonly javaEnabled: boolean | null
}

/** An earlier operation. `providerReference` is the id that the provider assigned, if it is known. */
export type EarlierOperation = { readonly reference: string; readonly providerReference: string | null }

/** Everything a call may contain. Equal input always produces an identical request, so that it can be repeated. */
export type OperationInput = {
  readonly kind: OperationKind
  /** The idempotency key and merchant reference. */
  readonly reference: string
  /** The authorization that a capture, void or refund acts on. */
  readonly parent: EarlierOperation | null
  /** The successful captures of that authorization, oldest first. Some providers refund a capture. */
  readonly captures: readonly (EarlierOperation & { readonly money: Money })[]
  readonly mode: 'live' | 'test'
  readonly money: Money
  /** Whether an authorization is captured immediately. */
  readonly capture: boolean
  /** Whether a capture is the last one, so that the rest of the authorization is released. */
  readonly final: boolean
  readonly initiator: 'customer' | 'merchant'
  readonly storedCredential: {
    readonly use: 'none' | 'first' | 'subsequent'
    readonly networkTransactionId: string | null
  }
  /**
   * Null for operations that refer to an earlier operation, for a bank account that is not saved, and for a redirect.
   */
  readonly instrument: Instrument | null
  /** Set if a bank account is verified or debited instead of a card. */
  readonly debit?: Debit
  /** Set if the payer approves the payment on a page of the provider, without a card or bank account. */
  readonly redirect?: Redirect
  readonly paymentId: string
  readonly returnUrl: string | null
  readonly threeDSecure: 'auto' | 'required'
  readonly customer: { readonly id: string; readonly email: string | null } | null
  /** The customer that `customers` created at the provider for this operation. */
  readonly providerCustomer?: string
  /** The payer's browser; null for operations without a payer. */
  readonly device: Device | null
  readonly billing: Readonly<Record<string, unknown>> | null
  readonly statementDescriptor: string | null
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
}

export type LookupInput = Pick<
  OperationInput,
  'kind' | 'reference' | 'parent' | 'captures' | 'mode' | 'money' | 'capture'
> & {
  readonly providerReference: string | null
  /** The time of the operation, for providers that search within a period. */
  readonly createdAt: Date
}

/** Input after the payer returned. The return parameters are passed on unchanged and not interpreted. */
export type CompleteInput = LookupInput & { readonly returnParams: Readonly<Record<string, string>> }

export type ForgetInput = { readonly token: string }

/**
 * Lists operations since a given time, by the clock of the provider. `cursor`: from the previous page; null for the
 * first page.
 */
export type ListInput = { readonly since: Date; readonly cursor: string | null }

/** An operation as the provider lists it. Only operations that have moved money, or may still do so, are listed. */
export type ListedOperation = {
  readonly kind: OperationKind
  /** Our reference. Null: Switchyard did not create the operation, or the provider does not report the reference. */
  readonly reference: string | null
  readonly providerReference: string
  readonly status: 'succeeded' | 'pending'
  readonly money: Money
  /** Whether an authorization was captured immediately. */
  readonly capture: boolean
  /** The authorization that a capture, void or refund acts on. At least one of its references is known. */
  readonly parent: { readonly reference: string | null; readonly providerReference: string | null } | null
  /** The payment id that we sent. Null: not reported. */
  readonly paymentId: string | null
  readonly createdAt: Date
}

/** `next`: the cursor of the next page; null if this is the last one. */
export type ListPage = { readonly operations: readonly ListedOperation[]; readonly next: string | null }

export type HttpCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The complete address. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The body as text, built once: the sent bytes are the hashed and signed ones. */
  readonly body: string | null
  /** The body, if it is not text. `body` is null then. */
  readonly bytes?: Uint8Array
}

export type HttpReply = {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends HTTP requests for the core. It never throws and never follows a redirect. */
export type Sender = Pick<Outbound, 'send'>

export type BuildContext<Config> = {
  readonly config: Config
  readonly now: Date
  /** The access token of a provider with the step `accessToken`; null for other providers. */
  readonly accessToken: string | null
}

/** `build` may sign, so it receives the time; with the same time it builds an identical request. */
export type Step<In, Out, Config> = {
  build(input: In, context: BuildContext<Config>): HttpCall
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
  /** The types of payment methods other than cards. */
  readonly methods: { readonly [Type in MethodType]?: MethodTerms }
}

export const cardFundings = ['credit', 'debit', 'prepaid'] as const
export type CardFunding = (typeof cardFundings)[number]

/**
 * The fee for some payments at an account, as the operator entered it, in the format of the API. Null matches
 * any value. The fixed amount is in minor units of `currency`, so a segment with a fixed amount has a
 * currency.
 */
export type CostSegment = {
  readonly currency: string | null
  readonly card_brands: readonly string[] | null
  readonly card_countries: readonly string[] | null
  readonly card_fundings: readonly CardFunding[] | null
  /** Hundredths of a percent of the amount. */
  readonly basis_points: number
  readonly fixed_amount: number
}

/** How an operation with an unknown outcome is resolved. */
export type Resolution = {
  /** How long a repeated call with the same reference returns the first response. 0: never. */
  readonly replayHours: number
  /** `provider_id`: only an operation whose provider reference is known can be looked up. */
  readonly lookup: 'reference' | 'provider_id' | 'none'
  /** Whether an operation can be closed, so that it can never happen. */
  readonly close: boolean
  /**
   * How long after its last possible replay an operation that the provider does not find counts as not
   * processed; null: it never does.
   */
  readonly absentIsFinalAfterMinutes: number | null
  /**
   * The kinds of operations for which a lookup that finds nothing proves nothing. Such an operation ends by
   * webhook or in review if the provider does not find it.
   */
  readonly neverAbsent?: readonly OperationKind[]
  /**
   * Whether the provider reports every result by webhook. Without lookup and close, an operation then waits for its
   * webhook, and needs review if there is none within a week.
   */
  readonly webhook: boolean
  /**
   * Whether only the step `complete` can approve an operation after a payer action. If so, nothing is charged to a
   * payer who does not return.
   */
  readonly completedByUs: boolean
}

export type ProviderEvent = {
  /** Events with the same key are one event. Null: the provider does not identify its events. */
  readonly dedupeKey: string | null
  readonly reference: string | null
  readonly providerReference: string | null
  /** The reported kind of operation, if any. It is compared with the kind of our operation. */
  readonly kind?: OperationKind
  /** Null: something happened, and a lookup is needed. */
  readonly found: Found | null
  /**
   * A failure that may follow a success, or precede one. It does not end the operation: an open operation is
   * looked up, and an operation that is recorded as succeeded needs review. The event is kept while the
   * operation is open.
   */
  readonly failure?: Extract<Found, { is: 'declined' }>
  /** A refund made at the provider, of the operation that `reference` names. */
  readonly refund?: { readonly reference: string; readonly providerReference: string; readonly money: Money }
  /** The payer's bank has returned the debit that `reference` or `providerReference` names, after it was confirmed. */
  readonly returned?: DebitReturn
  /** A dispute against the operation that `reference` or `providerReference` names. */
  readonly dispute?: DisputeReport
}

export type DebitReturn = {
  /** The id that the provider assigned to the return. */
  readonly providerReference: string
  readonly money: Money
  /** The reason code of the bank, such as `MD06`. Null: not reported. */
  readonly reasonCode: string | null
}

export const disputeStages = ['inquiry', 'chargeback', 'pre_arbitration', 'arbitration'] as const
export type DisputeStage = (typeof disputeStages)[number]

export const disputeReasons = [
  'fraudulent',
  'authorization',
  'processing_error',
  'duplicate',
  'not_received',
  'subscription_cancelled',
  'not_as_described',
  'credit_not_processed',
  'other',
] as const
export type DisputeReason = (typeof disputeReasons)[number]

export const reportedDisputeStatuses = ['needs_response', 'under_review', 'won', 'lost', 'closed'] as const

/** The whole state of a dispute, not a change: reports can be lost, duplicated or reordered. */
export type DisputeReport = {
  /** The id that the provider assigned to the dispute. */
  readonly providerReference: string
  readonly stage: DisputeStage
  /** `closed`: an inquiry ended without a chargeback. */
  readonly status: (typeof reportedDisputeStatuses)[number]
  readonly money: Money
  readonly reason: DisputeReason
  /** The code of the card network. Null: not reported. */
  readonly networkReasonCode: string | null
  /** Null: not reported. */
  readonly respondByAt: Date | null
  /** Whether the amount is withdrawn from the balance at the provider. Null: not reported. */
  readonly isWithdrawn: boolean | null
  /** The sum of the fees for this dispute. Null: not reported. */
  readonly fee: Money | null
  /** When the dispute had this state, by the clock of the provider. A report that is older than another is ignored. */
  readonly reportedAt: Date
}

/** The text fields of evidence. Each provider maps them to its own fields. */
export const evidenceFields = [
  'explanation',
  'product_description',
  'customer_name',
  'customer_email',
  'customer_ip',
  'billing_address',
  'service_date',
  'access_log',
  'shipping_address',
  'shipping_carrier',
  'shipping_date',
  'shipping_tracking_number',
  'cancellation_rebuttal',
  'refund_refusal_explanation',
  'duplicate_charge_explanation',
] as const
export type EvidenceField = (typeof evidenceFields)[number]
export type EvidenceTexts = { readonly [F in EvidenceField]?: string }

/** The types of documents that can be uploaded as evidence. */
export const filePurposes = [
  'receipt',
  'customer_communication',
  'customer_signature',
  'shipping_documentation',
  'service_documentation',
  'cancellation_policy',
  'refund_policy',
  'duplicate_charge_documentation',
  'other',
] as const
export const fileContentTypes = ['application/pdf', 'image/jpeg', 'image/png'] as const

export type EvidenceFile = {
  readonly name: string
  readonly purpose: (typeof filePurposes)[number]
  readonly contentType: (typeof fileContentTypes)[number]
  readonly size: number
  /** Hexadecimal SHA-256 of the content. It identifies the file, so uploads are idempotent. */
  readonly sha256: string
}

/** A dispute at the provider, and the request about it. */
export type DisputeInput = {
  /** The idempotency key. A repeated request has the same one. */
  readonly reference: string
  readonly providerReference: string
  readonly stage: DisputeStage
  readonly mode: 'live' | 'test'
}
export type DisputeResponse = DisputeInput & {
  readonly evidence: EvidenceTexts
  /** The uploaded files, with the ids that the provider has assigned. */
  readonly files: readonly (EvidenceFile & { readonly providerFileId: string })[]
}
export type FileUpload = DisputeInput & { readonly file: EvidenceFile; readonly content: Uint8Array }
export type FileOutcome =
  | { readonly is: 'uploaded'; readonly providerFileId: string }
  | Extract<Outcome, { is: 'rejected' | 'unknown' }>

/** `reportedAt`: when the provider accepted the request, by its clock. */
export type DisputeOutcome =
  | { readonly is: 'accepted'; readonly reportedAt: Date }
  | Extract<Outcome, { is: 'rejected' | 'unknown' }>

/** The result of a lookup of a dispute. */
export type DisputeFound =
  | { readonly is: 'found'; readonly report: DisputeReport }
  | Extract<Outcome, { is: 'unknown' }>

/** How a provider receives responses to disputes. A provider without it requires a response in its own dashboard. */
export type DisputeSteps<Config> = {
  /** Whether the account supports responses. Without this function, every account does. */
  isSupported?(config: Config): boolean
  /** Why the provider cannot receive this evidence; null if it can. */
  faultOf?(response: {
    readonly evidence: EvidenceTexts
    readonly files: readonly EvidenceFile[]
  }): string | null
  /** Uploads a file. Uploading it again has no further effect. */
  readonly upload: Step<FileUpload, FileOutcome, Config>
  readonly submit: Step<DisputeResponse, DisputeOutcome, Config>
  readonly accept: Step<DisputeInput, DisputeOutcome, Config>
  readonly lookup?: Step<DisputeInput, DisputeFound, Config>
}

export type Verdict = 'valid' | 'invalid' | 'unsigned'

export type IncomingCall = {
  readonly method: string
  /** Path and query, as received. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export type Webhooks<Config> = {
  /**
   * What the signature covers in addition to the body. An unsigned webhook only triggers a lookup. Without a time,
   * an old webhook can be sent again, which changes nothing: events are deduplicated, and an operation that has ended
   * does not change.
   */
  readonly signature: 'path_and_time' | 'time' | 'body' | 'none'
  /**
   * The certificate that signed the webhook, for providers that sign with a certificate. The core fetches it only from
   * these hosts, over HTTPS. Null: the webhook names none.
   */
  readonly certificate?: {
    readonly hosts: readonly string[]
    urlIn(call: IncomingCall): string | null
  }
  verify(
    call: IncomingCall,
    context: { readonly config: Config; readonly now: Date; readonly certificate: string | null },
  ): Verdict
  parse(body: Uint8Array): readonly ProviderEvent[]
}

/** An access token, and how long it is valid. */
export type AccessToken = { readonly token: string; readonly expiresInSeconds: number }

/** A value that the merchant copies from the provider. `name` is the provider's own name for it, in snake case. */
export type SetupField = {
  readonly name: string
  readonly label: string
  /** Where the merchant finds the value at the provider. */
  readonly help: string
  /** `live`: required in the live environment only. */
  readonly required: boolean | 'live'
  /**
   * Set for a setting that selects the merchant account. It cannot change, because earlier payments belong to
   * that merchant account.
   */
  readonly identifies?: true
  /** A regular expression for the values of each environment. It detects a live key in a test workspace. */
  readonly pattern?: { readonly live: string; readonly test: string }
}

/**
 * A secret. `call`: authenticates our calls. `webhook`: verifies webhooks. During a rotation the previous value also
 * verifies them.
 */
export type Credential = SetupField & { readonly use: 'call' | 'webhook' }

/** How an account of a connector is set up. The custom provider and the simulator have no such data. */
export type Setup = {
  /** The name of the provider, such as `Stripe`. */
  readonly name: string
  /** `token`: the provider accepts only cards that its own form fields have collected. */
  readonly cardData: 'token' | 'pan_or_token'
  /** Whether an account accepts card numbers only after the provider has enabled them. */
  readonly cardNumbersNeedApproval?: true
  readonly credentials: readonly Credential[]
  readonly settings: readonly SetupField[]
  /**
   * The domains of the provider's API. The setting `base_url` of an account must not be in one of these
   * domains.
   */
  readonly domains: readonly string[]
  /** The base URL of the provider's API. */
  baseUrl(mode: 'live' | 'test', settings: Readonly<Record<string, string>>): string
  /** The event types to select when the merchant creates the webhook at the provider. */
  readonly webhookEvents: readonly string[]
  /** Where the merchant creates the webhook, in one or two sentences. */
  readonly webhookHelp: string
  /**
   * Values of an account whose provider is emulated by the simulator. `{hex26}` in a credential stands for 26 random
   * hexadecimal digits.
   */
  readonly emulated: {
    readonly credentials: Readonly<Record<string, string>>
    readonly settings: Readonly<Record<string, string>>
  }
}

/**
 * The configuration of a connector's account: its settings, its newest `call` credentials, all active values of each
 * `webhook` credential, and the two URLs.
 */
export type ConnectorConfig = {
  readonly base_url: string
  readonly settings: Readonly<Record<string, string>>
  readonly credentials: Readonly<Record<string, string>>
  readonly webhook_secrets: Readonly<Record<string, readonly string[]>>
  /** The address of Switchyard for webhooks of this account, for providers that take it with each payment. */
  readonly webhook_url: string
}

/** The result of a call that changes nothing, made to check the credentials. */
export type CredentialCheck = { readonly ok: boolean; readonly detail: string }

/** The capabilities of an account, and how its unknown outcomes are resolved. */
export type Terms = { readonly capabilities: Capabilities; readonly resolve: Resolution }

/** The browser components of providers in which payers enter a card. The payment page has an adapter for each. */
export const fieldsComponents = ['stripe', 'adyen', 'mollie'] as const
export type FieldsComponent = (typeof fieldsComponents)[number]

/** How payers enter a card in fields of the provider, so that Switchyard never receives the number. */
export type CardFields = {
  readonly component: FieldsComponent
  /** What the component needs, from the settings of the account. It is public. Null: a setting is missing. */
  publicConfig(
    settings: Readonly<Record<string, string>>,
    mode: 'live' | 'test',
  ): Readonly<Record<string, string>> | null
}

/** The public configuration of a component that needs one setting. */
export function publicSetting(name: string): CardFields['publicConfig'] {
  return ({ [name]: value }) => (value === undefined ? null : { [name]: value })
}

/**
 * For providers that save a card only for one of their customers. The core creates the customer before it
 * sends the operation.
 */
export type ProviderCustomers<Config> = {
  /** Whether the operation saves a card whose token does not contain a customer. */
  isNeeded(input: OperationInput): boolean
  /** The id of the customer; null if the provider has not created it. A repeat must not create another customer. */
  readonly create: Step<OperationInput, string | null, Config>
}

/** The idempotency key of the call that creates the customer of an operation. */
export function customerKeyOf({ reference }: Pick<OperationInput, 'reference'>): string {
  return `${reference}-customer`
}

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
  /**
   * Lists operations since a given time. A page may contain earlier ones, and its order is not defined. An operation
   * that is created while the list is read may be missing. Omitted if the provider cannot list operations.
   */
  readonly list?: Step<ListInput, ListPage, Config> & {
    /** Whether the account supports it. Without this function, every account does. */
    isSupported?(config: Config): boolean
  }
  readonly health?: Step<null, boolean, Config>
  /** Checks the credentials with a call that changes nothing. */
  readonly check?: Step<null, CredentialCheck, Config>
  readonly setup?: Setup
  /** Absent: the provider has no fields that the payment page supports. */
  readonly fields?: CardFields
  readonly customers?: ProviderCustomers<Config>
  /** Deletes a stored card. True once it is deleted. */
  readonly forget?: Step<ForgetInput, boolean, Config>
  /**
   * The terms of an account with these settings. Without this function, the default terms of the provider
   * apply.
   */
  narrow?(config: Config): Terms
  /**
   * Fetches an access token with the credentials of the account. The core caches it in memory until shortly before it
   * expires, and passes it to the other steps.
   */
  readonly accessToken?: Step<null, AccessToken, Config>
  readonly webhooks?: Webhooks<Config>
  readonly disputes?: DisputeSteps<Config>
  /**
   * Why a card vault cannot put the card number into the calls of this provider. Absent: it can. The conformance suite
   * compares it with the calls.
   */
  readonly vaultObstacle?: string
  /** The same for an account with this manifest; null if there is no obstacle. */
  vaultObstacleOf?(manifest: object | null): string | null
  /**
   * Headers, in lower case, that depend on the stand-ins, and that the vault must forward unchanged: the receiver puts the
   * stand-ins back before it verifies them.
   */
  readonly standInHeaders?: readonly string[]
}

/** Whether the operations of an account can be listed. */
export function canList(provider: Provider, config: unknown): boolean {
  return provider.list !== undefined && (provider.list.isSupported?.(config) ?? true)
}

/** Why a card vault cannot put the card number into the calls of an account; null if it can. */
export function vaultObstacleFor(
  provider: Provider | null | undefined,
  manifest: object | null,
): string | null {
  return provider?.vaultObstacle ?? provider?.vaultObstacleOf?.(manifest) ?? null
}
