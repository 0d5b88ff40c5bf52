/**
 * Sends a request through a card vault, and determines whether the vault or the provider responded. A failure
 * of the vault says nothing about the provider account, so it uses the fault codes of the vault.
 */
import { monotonicMs } from '../kernel/clock.ts'
import type { OutboundReply, OutboundRequest } from '../platform/outbound/outbound.ts'
import { createVaultBreakers } from '../vaults/breaker.ts'
import type { CardVault, VaultConfig, VaultToken } from '../vaults/contract.ts'
import type { Sender } from './contract.ts'
import { type CallResult, notSent, resultOf, unknown } from './evidence.ts'

/** The vault that has the card of an operation. The instrument of the operation has stand-ins. */
export type TaskVault = {
  /** Identifies the vault of one workspace. */
  readonly key: string
  readonly vault: CardVault
  /** Includes secrets. */
  readonly config: VaultConfig
  readonly token: VaultToken
}

export const vaultResults = ['answered', 'rejected', 'unknown', 'not_sent', 'breaker_open'] as const
export type VaultResult = (typeof vaultResults)[number]

export type VaultSender = {
  send(target: TaskVault, request: OutboundRequest): Promise<VaultReply>
}

type VaultReply = { readonly result: CallResult; readonly reply: OutboundReply | null }

type VaultSenderDeps = {
  readonly sender: Sender
  /** Called after each call, for metrics. */
  readonly onCall: (vault: string, result: VaultResult) => void
}

export function createVaultSender({ sender, onCall }: VaultSenderDeps): VaultSender {
  const breakers = createVaultBreakers(monotonicMs)
  return {
    async send({ key, vault }, request) {
      if (!breakers.mayCall(key)) {
        onCall(vault.id, 'breaker_open')
        const detail = `Too many calls to ${vault.name} have failed, so nothing was sent.`
        return { result: notSent('vault_unavailable', detail), reply: null }
      }
      const reply = await sender.send(request)
      const result = vaultResultOf(vault, reply)
      breakers.recordResult(key, isVaultFailure(result, reply))
      onCall(vault.id, nameOf(result))
      return { result, reply }
    },
  }
}

function vaultResultOf(vault: CardVault, reply: OutboundReply): CallResult {
  const result = resultOf(reply)
  if (result.is === 'not_sent')
    return notSent('vault_unavailable', `${vault.name} could not be reached: ${result.fault.message}`)
  if (result.is !== 'answer')
    return unknown('vault_unavailable', `${vault.name} did not respond: ${result.fault.message}`)
  const unwrapped = vault.unwrap(result.reply)
  if (unwrapped.is === 'provider') return { is: 'answer', reply: unwrapped.reply }
  return unwrapped.is === 'refused'
    ? { is: 'rejected', fault: unwrapped.fault, thisCallOnly: true }
    : { is: 'unknown', fault: unwrapped.fault }
}

/** A timeout may be caused by the provider behind the vault, and so does not count. */
function isVaultFailure(result: CallResult, reply: OutboundReply): boolean {
  if (result.is !== 'unknown' && result.is !== 'not_sent') return false
  if (reply.kind === 'answered') return reply.status !== 408
  return !(reply.mayHaveBeenSent && reply.cause === 'timeout') && reply.cause !== 'ours'
}

function nameOf({ is }: CallResult): VaultResult {
  return is === 'answer' ? 'answered' : is
}
