/**
 * The interface of card vaults: services that store card numbers for a merchant and put them into requests to payment
 * providers. Data and pure functions: the core owns sockets, time and secrets. A vault must not guess: a response is
 * `unknown` unless it is the provider's own response, or proves that nothing was forwarded.
 */
import type { Mode } from '../kernel/id.ts'
import type { Fault, HttpCall, HttpReply } from '../providers/contract.ts'
import type { VaultName } from './vault-names.ts'

/** A value that the merchant copies from the vault. */
export type VaultField = {
  readonly name: string
  readonly label: string
  /** Where the merchant finds the value at the vault. */
  readonly help: string
  readonly required: boolean
  /** A secret is encrypted, and never returned. */
  readonly isSecret: boolean
  /** A regular expression for the values of each environment. */
  readonly pattern: { readonly [M in Mode]: string }
}

/** The values of the fields, by name. `emulator_url` is set if the simulator replaces the vault. */
export type VaultConfig = Readonly<Record<string, string>> & { readonly emulator_url?: string }

/** A card in the vault. `cvc` is null if the vault stores none, or if the token in `number` also covers it. */
export type VaultToken = { readonly number: string; readonly cvc: string | null }

export type CardPart = 'number' | 'cvc'

/** A forward proxy between us and the provider. */
export type VaultProxy = {
  /** The origin of the proxy, such as `https://proxy.example.com:8443`. */
  readonly url: string
  /** The value of the `Proxy-Authorization` header. */
  readonly authorization: string
  /** The certificate authority of the proxy as PEM; null: public certificate authorities. */
  readonly ca: string | null
}

export type WrappedCall = { readonly call: HttpCall; readonly proxy?: VaultProxy }

/**
 * Who responded. `refused`: the vault rejected the call, which proves that it forwarded nothing. `unknown`:
 * the vault may have forwarded the call.
 */
export type Unwrapped =
  | { readonly is: 'provider'; readonly reply: HttpReply }
  | { readonly is: 'refused' | 'unknown'; readonly fault: Fault }

/** The card of a token, as the vault describes it. Null: the vault does not report it. */
export type VaultCard = {
  readonly brand: string | null
  readonly bin: string | null
  readonly last4: string
  readonly expMonth: number
  readonly expYear: number
  readonly funding: string | null
  readonly country: string | null
  readonly issuer: string | null
  /** The same for every token of one card number at this vault. */
  readonly fingerprint: string | null
  readonly hasCvc: boolean
}

export type TokenLookup =
  | { readonly is: 'card'; readonly card: VaultCard }
  | { readonly is: 'missing' | 'refused' | 'unreadable' }

/** A call that changes nothing, made to check the configuration. */
export type VaultCheck = {
  build(config: VaultConfig): WrappedCall
  /** The fault, as the rest of a sentence that starts with the name of the vault; null if there is none. */
  parse(reply: HttpReply): string | null
}

export type CardVault = {
  readonly id: VaultName
  /** The name of the service, such as `Basis Theory`. */
  readonly name: string
  readonly fields: readonly VaultField[]
  /** Values of the fields if the simulator replaces the vault. */
  readonly emulated: Readonly<Record<string, string>>
  /** `once`: the vault forwards a CVC once. `window`: as often as needed, for a limited time. */
  readonly cvc: 'once' | 'window'
  /** Whether `POST /tokens` must include the details of the card, because the vault has no API that returns them. */
  readonly needsCardDetails: boolean
  /** The public settings that the vault's card fields need in the browser. Null if a setting is missing. */
  publicConfig(config: VaultConfig): Readonly<Record<string, string>> | null
  /** The text that the vault replaces with a part of the card. */
  placeholder(part: CardPart, token: VaultToken): string
  wrap(call: HttpCall, config: VaultConfig): WrappedCall
  unwrap(reply: HttpReply): Unwrapped
  readonly check: VaultCheck
  /** Reads the details of a card, without its number. */
  readonly token?: {
    build(id: string, config: VaultConfig): HttpCall
    parse(reply: HttpReply): TokenLookup
  }
}
