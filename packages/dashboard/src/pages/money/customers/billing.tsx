/** Whether the customer may use what they subscribed to, and what is set against the next invoices. */
import type { BillingState } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { words } from '../../../format/words.ts'
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
      <Loaded of={state}>{(found) => <Billing state={found} />}</Loaded>
    </Panel>
  )
}

function Billing({ state: { access, credit, subscriptions } }: { state: BillingState }) {
  if (subscriptions.length === 0 && credit.length === 0)
    return <p className="text-ink2">Nothing is billed to this customer.</p>
  return (
    <Facts
      of={[
        [
          'Access',
          access.granted ? (
            <Chip key="access" mark="disc" tone="clear" text="Granted" />
          ) : (
            <Chip key="access" mark="bars" tone="idle" text="Not granted" />
          ),
        ],
        ['Because', words(access.reason)],
        ['Until', access.until_at && <Time at={access.until_at} exact />],
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
