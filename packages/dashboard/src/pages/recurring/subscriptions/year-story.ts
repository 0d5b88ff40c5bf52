/** The year of a subscription as a Line: its life, its invoices, and the tries that follow a failure. Pure. */
import type { DunningCampaign, Event, Invoice, Subscription } from '@switchyard/sdk'
import { moneyText } from '../../../format/money.ts'
import type { LineNode, Story } from '../../../line/story.ts'
import { outcomeOf } from '../dunning/words.ts'
import { timeOf } from './event-time.ts'

export type Told = {
  readonly subscription: Subscription
  readonly events: readonly Event[]
  readonly invoices: readonly Invoice[]
  readonly campaigns: readonly DunningCampaign[]
}

const lanes = [
  { id: 'life', text: 'Subscription' },
  { id: 'invoices', text: 'Invoices' },
  { id: 'retries', text: 'Retries' },
] as const

export function yearOf({ subscription, events, invoices, campaigns }: Told): Story {
  const retries = campaigns.flatMap(retryNodes)
  return {
    lanes: retries.length === 0 ? lanes.slice(0, 2) : lanes,
    nodes: [
      ...events.flatMap(lifeNode),
      ...comingNodes(subscription),
      ...invoices.map(invoiceNode),
      ...retries,
    ],
  }
}

type Look = Pick<LineNode, 'text' | 'tone' | 'mark' | 'isWaiting'>

const turns: { readonly [type: string]: Look } = {
  'subscription.created': { text: 'Started', tone: 'ink', mark: 'done' },
  'subscription.paused': { text: 'Paused', tone: 'idle', mark: 'open', isWaiting: true },
  'subscription.resumed': { text: 'Resumed', tone: 'ink', mark: 'done' },
  'subscription.cancelled': { text: 'Cancelled', tone: 'idle', mark: 'failed' },
}

function lifeNode(event: Event): LineNode[] {
  const look = turns[event.type]
  return look === undefined ? [] : [{ id: event.id, lane: 'life', atMs: Date.parse(timeOf(event)), ...look }]
}

/** What is known to come. */
function comingNodes({ id, status, trial, pause, scheduled_change: change }: Subscription): LineNode[] {
  const at = (name: string, when: string | null | undefined, look: Look): LineNode[] =>
    when == null ? [] : [{ id: `${id} ${name}`, lane: 'life', atMs: Date.parse(when), ...look }]
  return [
    ...at('trial', status === 'trialing' ? trial?.end_at : null, {
      text: 'Trial ends',
      tone: 'lock',
      mark: 'waiting',
    }),
    ...at('resumes', pause?.resumes_at, { text: 'Resumes', tone: 'idle', mark: 'waiting' }),
    ...at('change', change?.effective_at, {
      text: change === null ? '' : coming[change.action],
      tone: 'caution',
      mark: 'waiting',
    }),
  ]
}

const coming = { cancel: 'Cancels', pause: 'Pauses', update: 'Changes' } as const

function invoiceNode(invoice: Invoice): LineNode {
  const { id, created_at } = invoice
  return { id, lane: 'invoices', atMs: Date.parse(created_at), ...invoiceLook(invoice) }
}

function invoiceLook(invoice: Invoice): Look {
  const { status, overdue, attempt_count: tries, payment_state: state } = invoice
  const sum = moneyText(invoice.total, invoice.currency)
  if (state === 'unknown') return { text: `${sum} not known yet`, tone: 'caution', mark: 'waiting' }
  if (invoice.paid_out_of_band) return { text: `${sum} paid by other means`, tone: 'clear', mark: 'done' }
  if (status === 'paid')
    return { text: tries > 1 ? `${sum} paid at try ${tries}` : `${sum} paid`, tone: 'clear', mark: 'done' }
  if (status === 'uncollectible') return { text: `${sum} given up`, tone: 'danger', mark: 'failed' }
  if (status === 'void') return { text: `${sum} void`, tone: 'idle', mark: 'open' }
  return overdue
    ? { text: `${sum} overdue`, tone: 'danger', mark: 'failed' }
    : { text: `${sum} ${status}`, tone: 'idle', mark: 'open' }
}

/** The first try belongs to the invoice; what was tried later stands for itself. */
function retryNodes(campaign: DunningCampaign): LineNode[] {
  const { id, steps, status, ended_at } = campaign
  const nodes = steps.flatMap((step, index): LineNode[] => {
    const outcome = outcomeOf(campaign, step)
    const base = { id: `${id} ${index}`, lane: 'retries', atMs: Date.parse(step.attempted_at ?? step.due_at) }
    if (outcome === 'paid') return [{ ...base, text: 'Paid', tone: 'clear', mark: 'done' }]
    if (outcome !== 'failed') return []
    return [{ ...base, text: (step.code ?? '').replaceAll('_', ' '), tone: 'danger', mark: 'failed' }]
  })
  if (status !== 'exhausted' || ended_at === null) return nodes
  const end = { id: `${id} end`, lane: 'retries', atMs: Date.parse(ended_at) }
  return [...nodes, { ...end, text: 'Given up', tone: 'danger', mark: 'failed' }]
}
