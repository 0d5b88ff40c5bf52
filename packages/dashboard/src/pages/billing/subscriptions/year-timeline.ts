/** The timeline of a subscription over a year: status changes, invoices and retries. No side effects. */
import type { DunningCampaign, Event, Invoice, Subscription } from '@switchyard/sdk'
import { moneyText } from '../../../format/money.ts'
import type { Timeline, TimelineNode } from '../../../timeline/timeline-model.ts'
import { outcomeOf } from '../dunning/campaign-text.ts'
import { timeOf } from './event-time.ts'

export type YearInput = {
  readonly subscription: Subscription
  readonly events: readonly Event[]
  readonly invoices: readonly Invoice[]
  readonly campaigns: readonly DunningCampaign[]
}

const lanes = [
  { id: 'subscription', text: 'Subscription' },
  { id: 'invoices', text: 'Invoices' },
  { id: 'retries', text: 'Retries' },
] as const

export function yearTimeline({ subscription, events, invoices, campaigns }: YearInput): Timeline {
  const retries = campaigns.flatMap(retryNodes)
  return {
    lanes: retries.length === 0 ? lanes.slice(0, 2) : lanes,
    nodes: [
      ...events.flatMap(statusNode),
      ...scheduledNodes(subscription),
      ...invoices.map(invoiceNode),
      ...retries,
    ],
  }
}

type NodeStyle = Pick<TimelineNode, 'text' | 'tone' | 'mark' | 'isWaiting'>

const statusStyles: { readonly [type: string]: NodeStyle } = {
  'subscription.created': { text: 'Started', tone: 'ink', mark: 'done' },
  'subscription.paused': { text: 'Paused', tone: 'neutral', mark: 'open', isWaiting: true },
  'subscription.resumed': { text: 'Resumed', tone: 'ink', mark: 'done' },
  'subscription.cancelled': { text: 'Cancelled', tone: 'neutral', mark: 'failed' },
}

function statusNode(event: Event): TimelineNode[] {
  const style = statusStyles[event.type]
  return style === undefined
    ? []
    : [{ id: event.id, lane: 'subscription', atMs: Date.parse(timeOf(event)), ...style }]
}

/** The nodes of scheduled changes. */
function scheduledNodes({
  id,
  status,
  trial,
  pause,
  scheduled_change: change,
}: Subscription): TimelineNode[] {
  const nodeAt = (name: string, when: string | null | undefined, style: NodeStyle): TimelineNode[] =>
    when == null ? [] : [{ id: `${id} ${name}`, lane: 'subscription', atMs: Date.parse(when), ...style }]
  return [
    ...nodeAt('trial', status === 'trialing' ? trial?.end_at : null, {
      text: 'Trial ends',
      tone: 'info',
      mark: 'waiting',
    }),
    ...nodeAt('resumes', pause?.resumes_at, { text: 'Resumes', tone: 'neutral', mark: 'waiting' }),
    ...nodeAt('change', change?.effective_at, {
      text: change === null ? '' : scheduledVerbs[change.action],
      tone: 'warning',
      mark: 'waiting',
    }),
  ]
}

const scheduledVerbs = { cancel: 'Cancels', pause: 'Pauses', update: 'Changes' } as const

function invoiceNode(invoice: Invoice): TimelineNode {
  const { id, created_at } = invoice
  return { id, lane: 'invoices', atMs: Date.parse(created_at), ...invoiceStyle(invoice) }
}

function invoiceStyle(invoice: Invoice): NodeStyle {
  const { status, overdue, attempt_count: attempts, payment_state: state } = invoice
  const amount = moneyText(invoice.total, invoice.currency)
  if (state === 'unknown') return { text: `${amount} outcome unknown`, tone: 'warning', mark: 'waiting' }
  if (invoice.paid_out_of_band)
    return { text: `${amount} paid outside Switchyard`, tone: 'success', mark: 'done' }
  if (status === 'paid')
    return {
      text: attempts > 1 ? `${amount} paid on attempt ${attempts}` : `${amount} paid`,
      tone: 'success',
      mark: 'done',
    }
  if (status === 'uncollectible') return { text: `${amount} uncollectible`, tone: 'danger', mark: 'failed' }
  if (status === 'void') return { text: `${amount} void`, tone: 'neutral', mark: 'open' }
  return overdue
    ? { text: `${amount} overdue`, tone: 'danger', mark: 'failed' }
    : { text: `${amount} ${status}`, tone: 'neutral', mark: 'open' }
}

/** The first attempt belongs to the invoice; each retry has its own node. */
function retryNodes(campaign: DunningCampaign): TimelineNode[] {
  const { id, steps, status, ended_at } = campaign
  const nodes = steps.flatMap((step, index): TimelineNode[] => {
    const outcome = outcomeOf(campaign, step)
    const base = { id: `${id} ${index}`, lane: 'retries', atMs: Date.parse(step.attempted_at ?? step.due_at) }
    if (outcome === 'paid') return [{ ...base, text: 'Paid', tone: 'success', mark: 'done' }]
    if (outcome !== 'failed') return []
    return [{ ...base, text: (step.code ?? '').replaceAll('_', ' '), tone: 'danger', mark: 'failed' }]
  })
  if (status !== 'exhausted' || ended_at === null) return nodes
  const end = { id: `${id} end`, lane: 'retries', atMs: Date.parse(ended_at) }
  return [...nodes, { ...end, text: 'Retries exhausted', tone: 'danger', mark: 'failed' }]
}
