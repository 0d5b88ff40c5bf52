/**
 * What providers tell us by themselves. It is stored before it is answered and understood afterwards, so nothing
 * is lost that a provider was told is here, and nothing that takes long keeps it waiting.
 */
import type { Deps } from '../../deps.ts'
import { systemCaller } from '../../kernel/caller.ts'
import { addSeconds, machineTime, monotonicMs } from '../../kernel/clock.ts'
import { refuse } from '../../kernel/errors.ts'
import { type Id, type Mode, parseId, type Ref } from '../../kernel/id.ts'
import { ownerOfAccount } from '../../platform/db/directory.ts'
import { type Tx, transact } from '../../platform/db/unit-of-work.ts'
import type { IncomingCall } from '../../providers/contract.ts'
import { receive } from '../../providers/incoming.ts'
import { follow } from '../payments/service/follow.ts'
import { type Heard, hear } from '../payments/service/hear.ts'
import { openAccount } from '../provider-accounts/service/open.ts'
import { type KeptEvent, waitAfter } from './provider-event.ts'
import * as store from './store.ts'

/** Whoever sends it has no token: the signature over its bytes is what lets it in. */
export async function receiveWebhook(
  deps: Deps,
  mode: Mode,
  accountId: string,
  call: IncomingCall,
): Promise<void> {
  const account = await requireOwned(deps, mode, accountId)
  const { provider, config } = await openAccount(deps, account.workspaceId, account.id)
  // The other side signs with the time of its wall.
  const received = receive(provider, call, { config, now: machineTime() })
  if (received.is === 'invalid') return refuse('provider_signature_invalid')
  if (received.is === 'unreadable')
    return refuse('invalid_request', { detail: 'The body is no message of this provider.' })

  const { verdict, events } = received
  if (events.length === 0) return
  await transact(deps, systemCaller(account), async (tx) => {
    for (const event of events) await store.insertEvent(tx, account.id, { verdict, event })
  })
}

async function requireOwned(deps: Deps, mode: Mode, text: string): Promise<Ref<'provider_account'>> {
  const id = parseId('provider_account', mode, text)
  const workspaceId = id === null ? null : await ownerOfAccount(deps, mode, id)
  if (id === null || workspaceId === null)
    return refuse('not_found', { detail: 'There is no such provider account.' })
  return { workspaceId, id }
}

/** Work: understands what was stored, or tries again when the operation is there. */
export async function processEvent(deps: Deps, ref: Ref<'provider_event'>): Promise<void> {
  const startedMs = monotonicMs()
  const heard = await transact(deps, systemCaller(ref), async (tx) => {
    const kept = await store.lockEvent(tx, ref.id)
    // A message may come late or twice. The row knows whether there is anything to do.
    if (kept === null || kept.dueAt === null || kept.dueAt > tx.wallTime) return null
    const { providerAccountId, event, verdict } = kept
    const found = await hear(deps, tx, { providerAccountId, event, isProven: verdict === 'valid' })
    await settle(tx, kept, found)
    return { found, tries: kept.tries }
  })
  if (heard === null) return
  if (heard.found !== null) return follow(deps, { ...ref, id: heard.found.paymentId }, heard.found, startedMs)
  if (waitAfter(heard.tries) === null)
    deps.log.warn('A word of a provider fits no operation.', {
      workspace_id: ref.workspaceId,
      id: ref.id as Id<'provider_event'>,
      work: 'provider_event.process',
    })
}

async function settle(tx: Tx, kept: KeptEvent, heard: Heard | null): Promise<void> {
  if (heard !== null) return store.updateEvent(tx, kept, { outcome: heard.outcome, dueAt: null })
  const wait = waitAfter(kept.tries)
  if (wait === null) return store.updateEvent(tx, kept, { outcome: 'unmatched', dueAt: null })
  return store.updateEvent(tx, kept, { outcome: null, dueAt: addSeconds(tx.wallTime, wait) })
}
