/** Recurring revenue, the amount at risk, and the amount recovered by dunning. */
import type { BillingReport } from '@switchyard/sdk'
import type { ReactNode } from 'react'
import { moneyText } from '../../format/money.ts'
import { countText } from '../../format/text.ts'
import { Figure, Figures } from '../../metrics/figures.tsx'
import { useBillingReport } from '../../metrics/reports.ts'
import { PageLink } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Loaded } from '../../ui/states.tsx'

export function Billing() {
  const report = useBillingReport()
  return (
    <Panel title="Recurring" flush>
      <Loaded query={report}>{(data) => <BillingFigures report={data} />}</Loaded>
    </Panel>
  )
}

function BillingFigures({ report: { mrr, at_risk, recovered, subscriptions } }: { report: BillingReport }) {
  const active = subscriptions.data.find(({ status }) => status === 'active')?.count ?? 0
  return (
    <>
      <Figures>
        <Figure
          name="Monthly recurring revenue"
          value={
            <FigureLink to="/subscriptions" search={{ status: 'active' }}>
              {amounts(mrr.data)}
            </FigureLink>
          }
          note={`${countText(active, 'active subscription')}`}
        />
        <Figure
          name="At risk in dunning"
          value={<FigureLink to="/dunning">{amounts(at_risk.data)}</FigureLink>}
          note={countText(campaignCount(at_risk.data), 'campaign')}
        />
        <Figure
          name="Recovered in 30 days"
          value={<FigureLink to="/dunning">{amounts(recovered.data)}</FigureLink>}
          note={countText(campaignCount(recovered.data), 'campaign')}
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

function FigureLink({
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

/** One line per currency: amounts in different currencies are never added. */
function amounts(data: readonly { readonly currency: string; readonly amount: number }[]): ReactNode {
  if (data.length === 0) return '–'
  return data.map(({ currency, amount }) => (
    <span key={currency} className="block">
      {moneyText(amount, currency)}
    </span>
  ))
}

function campaignCount(data: readonly { readonly campaigns: number }[]): number {
  return data.reduce((all, one) => all + one.campaigns, 0)
}
