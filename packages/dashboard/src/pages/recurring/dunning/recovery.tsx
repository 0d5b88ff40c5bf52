/** What is at risk and what came back, by currency, each with how it is counted. */
import type { BillingReport } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { moneyText } from '../../../format/money.ts'
import { counted } from '../../../format/words.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'

export function Recovery() {
  const found = useObject(['report', 'billing'], (api, signal) => api.reports.billing({ signal }))
  return (
    <Panel title="Money" flush>
      <Loaded of={found}>
        {({ at_risk, recovered }) => (
          <div className="grid md:grid-cols-2">
            <Sums title="At risk" of={at_risk} none="Nothing is at risk." />
            <Sums title="Recovered" of={recovered} none="Nothing came back yet." />
          </div>
        )}
      </Loaded>
    </Panel>
  )
}

function Sums(props: { title: string; of: BillingReport['at_risk']; none: string }) {
  const { data, explanation } = props.of
  return (
    <div className="border-b border-line p-4 last:border-0 md:border-r md:border-b-0">
      <h3 className="text-compact text-ink2">{props.title}</h3>
      {data.length === 0 ? (
        <p className="text-section font-bold">{props.none}</p>
      ) : (
        <ul>
          {data.map(({ currency, amount, campaigns }) => (
            <li key={currency} className="flex flex-wrap items-baseline gap-2">
              <span className="text-title font-bold">{moneyText(amount, currency)}</span>
              <span className="text-ink2">
                {currency.toUpperCase()}, {counted(campaigns, 'campaign')}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="mt-1 text-compact text-ink2">{explanation}</p>
    </div>
  )
}
