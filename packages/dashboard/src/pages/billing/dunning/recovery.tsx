/** The amounts at risk and recovered, by currency, each with an explanation of how it is counted. */
import type { BillingReport } from '@switchyard/sdk'
import { moneyText } from '../../../format/money.ts'
import { countText } from '../../../format/text.ts'
import { useBillingReport } from '../../../metrics/reports.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'

export function Recovery() {
  const report = useBillingReport()
  return (
    <Panel title="Recovery" flush>
      <Loaded query={report}>
        {({ at_risk, recovered }) => (
          <div className="grid md:grid-cols-2">
            <AmountsByCurrency title="At risk" report={at_risk} emptyText="Nothing is at risk." />
            <AmountsByCurrency title="Recovered" report={recovered} emptyText="Nothing recovered yet." />
          </div>
        )}
      </Loaded>
    </Panel>
  )
}

function AmountsByCurrency(props: { title: string; report: BillingReport['at_risk']; emptyText: string }) {
  const { data, explanation } = props.report
  return (
    <div className="border-b border-line p-4 last:border-0 md:border-r md:border-b-0">
      <h3 className="text-compact text-ink2">{props.title}</h3>
      {data.length === 0 ? (
        <p className="text-section font-bold">{props.emptyText}</p>
      ) : (
        <ul>
          {data.map(({ currency, amount, campaigns }) => (
            <li key={currency} className="flex flex-wrap items-baseline gap-2">
              <span className="text-title font-bold">{moneyText(amount, currency)}</span>
              <span className="text-ink2">
                {currency.toUpperCase()}, {countText(campaigns, 'campaign')}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="mt-1 text-compact text-ink2">{explanation}</p>
    </div>
  )
}
