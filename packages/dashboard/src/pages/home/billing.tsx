/** What subscriptions bring, what is at risk, and what dunning brought back. */
import type { BillingReport } from '@switchyard/sdk'
import type { ReactNode } from 'react'
import { useObject } from '../../api/queries.ts'
import { moneyText } from '../../format/money.ts'
import { counted } from '../../format/words.ts'
import { PageLink } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Figure, Figures } from './explained.tsx'

export function Billing() {
  const report = useObject(['report', 'billing'], (api, signal) => api.reports.billing({ signal }), {
    refetchInterval: 60_000,
  })
  return (
    <Panel title="Recurring" flush>
      <Loaded of={report}>{(found) => <Figuring report={found} />}</Loaded>
    </Panel>
  )
}

function Figuring({ report: { mrr, at_risk, recovered, subscriptions } }: { report: BillingReport }) {
  const active = subscriptions.data.find(({ status }) => status === 'active')?.count ?? 0
  return (
    <>
      <Figures>
        <Figure
          name="Monthly recurring revenue"
          value={
            <Rows to="/subscriptions" search={{ status: 'active' }}>
              {amounts(mrr.data)}
            </Rows>
          }
          note={`${counted(active, 'active subscription')}`}
        />
        <Figure
          name="At risk in dunning"
          value={<Rows to="/dunning">{amounts(at_risk.data)}</Rows>}
          note={counted(campaigns(at_risk.data), 'campaign')}
        />
        <Figure
          name="Recovered in 30 days"
          value={<Rows to="/dunning">{amounts(recovered.data)}</Rows>}
          note={counted(campaigns(recovered.data), 'campaign')}
        />
      </Figures>
      <details className="border-t border-line px-4 py-2">
        <summary className="cursor-pointer text-compact font-bold text-ink2 hover:text-ink">
          How is this counted?
        </summary>
        <dl className="mt-1 grid max-w-220 gap-2 text-ink2">
          {[
            ['Monthly recurring revenue', mrr.explanation],
            ['Subscriptions', subscriptions.explanation],
            ['At risk in dunning', at_risk.explanation],
            ['Recovered in 30 days', recovered.explanation],
          ].map(([name, text]) => (
            <div key={name}>
              <dt className="font-bold">{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  )
}

function Rows({
  to,
  search = {},
  children,
}: {
  to: string
  search?: Record<string, string>
  children: ReactNode
}) {
  return (
    <PageLink to={to} search={search} className="hover:underline">
      {children}
    </PageLink>
  )
}

/** One under the other: they are never added. */
function amounts(data: readonly { readonly currency: string; readonly amount: number }[]): ReactNode {
  if (data.length === 0) return '–'
  return data.map(({ currency, amount }) => (
    <span key={currency} className="block">
      {moneyText(amount, currency)}
    </span>
  ))
}

function campaigns(data: readonly { readonly campaigns: number }[]): number {
  return data.reduce((all, one) => all + one.campaigns, 0)
}
