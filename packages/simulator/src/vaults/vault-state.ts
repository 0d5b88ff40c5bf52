/** The cards of the simulated vaults, in memory only, and the faults of their next calls. */
import { randomBytes, randomUUID } from 'node:crypto'

/** The connection is closed before, during or after forwarding, or the vault itself responds. */
export const vaultFaults = [
  /** Responds with 400 and forwards nothing. */
  'reject',
  /** Responds with 500 and forwards nothing. */
  'server_error',
  /** Forwards the call, and responds with 500. */
  'server_error_after',
  /** Forwards the call, and responds with 408, as if the provider were too slow. */
  'timeout',
  /** Closes the connection and forwards nothing. */
  'reset_before',
  /** Closes the connection when the call was sent to the provider, before it has responded. */
  'reset_during',
  /** Closes the connection when the provider has responded. */
  'reset_after',
  /** Closes the connection in the middle of the response. */
  'cut',
] as const
export type VaultFault = (typeof vaultFaults)[number]

export type StoredCard = {
  readonly number: string
  readonly cvc: string | null
  readonly expMonth: number
  readonly expYear: number
}

export type VaultState = {
  /** Cards of Basis Theory by the id of their token. */
  readonly cards: Map<string, StoredCard>
  /** Values of VGS by their alias. */
  readonly aliases: Map<string, string>
  /** The faults of the next forwarded calls, one per call. Null means no fault. */
  readonly faults: (VaultFault | null)[]
  /** How many calls were received for forwarding. */
  calls: number
}

export function createVaultState(): VaultState {
  return { cards: new Map(), aliases: new Map(), faults: [], calls: 0 }
}

export function addCard({ cards }: VaultState, card: StoredCard): string {
  const id = randomUUID()
  cards.set(id, card)
  return id
}

/** The same value has the same alias, as at VGS. */
export function addAlias({ aliases }: VaultState, value: string): string {
  for (const [alias, known] of aliases) if (known === value) return alias
  const alias = `tok_sandbox_${randomBytes(16).toString('hex')}`
  aliases.set(alias, value)
  return alias
}
