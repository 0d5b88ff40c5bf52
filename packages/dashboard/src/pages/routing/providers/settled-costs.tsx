/** What payments have cost at an account, from the fees in settlement reports. */
import type { ProviderAccount } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { settledFeeText, settledSegmentText } from './cost-text.ts'

const maxRows = 20

export function SettledCosts({ account }: { account: ProviderAccount }) {
  const costs = useObject(['provider_account', account.id, 'settled costs'], (api, signal) =>
    api.providerAccounts.settledCosts(account.id, { signal }).page(),
  )
  return (
    <Panel title="Settled costs">
      <Loaded query={costs}>
        {({ data }) => (
          <div className="grid gap-3">
            <PlainTable
              label="Charged fees"
              rows={data.slice(0, maxRows)}
              keyOf={settledSegmentText}
              columns={[
                { title: 'Payments', cell: settledSegmentText, phone: true },
                { title: 'Lines', cell: ({ lines }) => lines.toLocaleString('en'), align: 'right' },
                { title: 'Fee', cell: settledFeeText, align: 'right', phone: true },
              ]}
              empty="No settlement reports imported."
            />
            <p className="text-compact text-ink2">
              {data.length > maxRows && `The ${maxRows} largest of ${data.length} segments. `}
              These are the fees that this provider charged, according to imported settlement reports. Dry
              runs use them to compare costs. The fee is unknown for segments with fewer than 200 report
              lines.
            </p>
          </div>
        )}
      </Loaded>
    </Panel>
  )
}
