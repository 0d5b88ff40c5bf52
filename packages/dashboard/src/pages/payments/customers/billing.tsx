/** Whether the customer's subscriptions grant access, and the customer's credit balance. */
import type { BillingState } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { sentenceCase } from '../../../format/text.ts'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Chip } from '../../../ui/status.tsx'
import { Money, Time } from '../../../ui/values.tsx'

export function BillingPanel({ customerId }: { customerId: string }) {
  const state = useObject(['customer', customerId, 'billing'], (api, signal) =>
    api.subscriptions.billingState(customerId, { signal }),
  )
  return (
    <Panel title="Billing">
      <Loaded query={state}>{(data) => <Billing state={data} />}</Loaded>
    </Panel>
  )
}

function Billing({ state: { access, credit, subscriptions } }: { state: BillingState }) {
  if (subscriptions.length === 0 && credit.length === 0)
    return <p className="text-ink2">Nothing has been billed to this customer.</p>
  return (
    <Facts
      facts={[
        [
          'Access',
          access.granted ? (
            <Chip key="access" mark="disc" tone="success" text="Granted" />
          ) : (
            <Chip key="access" mark="bars" tone="neutral" text="Not granted" />
          ),
        ],
        ['Reason', sentenceCase(access.reason)],
        ['Access until', access.until_at && <Time at={access.until_at} exact />],
        ...credit.map(
          ({ currency, balance }) =>
            [
              `Credit ${currency.toUpperCase()}`,
              <Money key={currency} amount={balance} currency={currency} />,
            ] as const,
        ),
      ]}
    />
  )
}
