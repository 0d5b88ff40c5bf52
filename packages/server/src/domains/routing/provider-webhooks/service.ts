/**
 * Receives provider webhooks. They are stored before the response and processed afterwards, so that no
 * acknowledged webhook is lost, and the provider does not wait for processing.
 */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { addSeconds, machineTime, monotonicMs } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, type Mode, parseId, type Ref } from '../../../kernel/id.ts'
import { ownerOfAccount } from '../../../platform/db/account-owner.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import type { IncomingCall, ProviderEvent } from '../../../providers/contract.ts'
import { receive } from '../../../providers/incoming.ts'
import { handleDisputeEvent } from '../../payments/disputes/service/record-report.ts'
import {
  type HandledEvent,
  handleProviderEvent,
} from '../../payments/payments/commands/handle-provider-event.ts'
import { runInBackground } from '../../payments/payments/operations/run.ts'
import { sealWebhookToken } from '../../payments/payments/operations/save-card.ts'
import { openAccount } from '../provider-accounts/service/open.ts'
import { keptEventDelaySeconds, retryDelaySeconds, type StoredEvent, withoutToken } from './provider-event.ts'
import * as store from './store.ts'

/** The sender has no token: the signature of the body authenticates it. */
export async function receiveWebhook(
  deps: Deps,
  mode: Mode,
  accountId: string,
  call: IncomingCall,
): Promise<void> {
  const account = await requireAccount(deps, mode, accountId)
  const { provider, config } = await openAccount(deps, account.workspaceId, account.id)
  const certificate = await deps.certificates.find(provider, call, mode)
  // The provider signs with real time.
  const received = receive(provider, call, { config, now: machineTime(), certificate })
  if (received.status === 'invalid') return refuse('provider_signature_invalid')
  if (received.status === 'unreadable')
    return refuse('invalid_request', { detail: 'The body is not a message in the format of this provider.' })

  const { verdict, events } = received
  if (events.length === 0) return
  await transact(deps, systemCaller(account), async (tx) => {
    for (const event of events)
      await store.insertEvent(tx, account.id, { verdict, ...(await withSealedToken(deps, tx, event)) })
  })
}

/** A provider token is stored only encrypted. */
async function withSealedToken(
  deps: Deps,
  tx: Tx,
  received: ProviderEvent,
): Promise<Pick<StoredEvent, 'event' | 'sealedToken'>> {
  const { event, token } = withoutToken(received)
  const { reference } = event
  if (token === null || reference === null) return { event, sealedToken: null }
  return { event, sealedToken: await sealWebhookToken(deps, tx, reference, token) }
}

async function requireAccount(deps: Deps, mode: Mode, text: string): Promise<Ref<'provider_account'>> {
  const id = parseId('provider_account', mode, text)
  const workspaceId = id === null ? null : await ownerOfAccount(deps, mode, id)
  if (id === null || workspaceId === null)
    return refuse('not_found', { detail: 'There is no such provider account.' })
  return { workspaceId, id }
}

/** Worker: processes a stored event, or retries until its operation exists. */
export async function processEvent(deps: Deps, ref: Ref<'provider_event'>): Promise<void> {
  const startedMs = monotonicMs()
  const handled = await transact(deps, systemCaller(ref), async (tx) => {
    const stored = await store.lockEvent(tx, ref.id)
    // A message may be late or a duplicate. The row shows whether there is anything to do.
    if (stored === null || stored.dueAt === null || stored.dueAt > tx.wallTime) return null
    const { providerAccountId, event, sealedToken, verdict } = stored
    const received = { providerAccountId, event, sealedToken, isAuthenticated: verdict === 'valid' }
    const handledEvent =
      event.dispute === undefined
        ? await handleProviderEvent(deps, tx, received)
        : await handleDisputeEvent(tx, received, event.dispute)
    await recordOutcome(tx, stored, handledEvent)
    return { event: handledEvent, tries: stored.tries }
  })
  if (handled === null || handled.event === 'keep') return
  if (handled.event !== null)
    return runInBackground(deps, { ...ref, id: handled.event.paymentId }, handled.event, startedMs)
  if (retryDelaySeconds(handled.tries) === null)
    deps.log.warn('A provider event matches no operation.', {
      workspace_id: ref.workspaceId,
      id: ref.id as Id<'provider_event'>,
      work: 'provider_event.process',
    })
}

async function recordOutcome(
  tx: Tx,
  stored: StoredEvent,
  handled: HandledEvent | 'keep' | null,
): Promise<void> {
  if (handled === 'keep') {
    const dueAt = addSeconds(tx.wallTime, keptEventDelaySeconds(stored.tries))
    return store.updateEvent(tx, stored, { outcome: null, dueAt })
  }
  if (handled !== null) return store.updateEvent(tx, stored, { outcome: handled.outcome, dueAt: null })
  const delaySeconds = retryDelaySeconds(stored.tries)
  if (delaySeconds === null) return store.updateEvent(tx, stored, { outcome: 'unmatched', dueAt: null })
  return store.updateEvent(tx, stored, { outcome: null, dueAt: addSeconds(tx.wallTime, delaySeconds) })
}
