/** Checks the vault of a workspace with a call that changes nothing: it is reachable, and accepts the credentials. */
import type { Deps } from '../../../../deps.ts'
import { type Id, modeOf } from '../../../../kernel/id.ts'
import type { OutboundReply } from '../../../../platform/outbound/outbound.ts'
import type { CardVault } from '../../../../vaults/contract.ts'
import { openVault } from './card-data.ts'

const timeoutMs = 5_000

/**
 * Returns null if the workspace has no vault. Otherwise `fault` is one sentence without secrets, or null if
 * the vault works. Must not be called in a transaction.
 */
export async function checkVault(
  deps: Deps,
  workspaceId: Id<'workspace'>,
): Promise<{ readonly fault: string | null } | null> {
  const opened = await openVault(deps, workspaceId)
  if (opened === null) return null
  const { vault, config } = opened
  const { call, proxy } = vault.check.build(config)
  const reply = await deps.outbound.send({
    ...call,
    ...(proxy === undefined ? {} : { proxy }),
    mode: modeOf(workspaceId),
    pool: `${workspaceId} vault check`,
    timeoutMs,
    connectMs: 3_000,
    maxResponseBytes: 64 * 1024,
    maxConnections: 1,
  })
  return { fault: faultOf(vault, reply) }
}

function faultOf({ name, check }: CardVault, reply: OutboundReply): string | null {
  if (reply.kind === 'failed') return `${name} could not be reached: ${reply.detail}`
  const fault = check.parse(reply)
  return fault === null ? null : `${name} ${fault}`
}
