import type { Subscription, TestClock } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useObject, useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { dateTimeText } from '../../../format/time.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code.tsx'
import { useGo } from '../../../ui/link.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { nameOfCustomer, useCustomer } from '../names.tsx'
import { Year } from '../subscriptions/year.tsx'
import { Advance } from './advance.tsx'
import { ClockLog } from './log.tsx'
import { OnClock } from './on-clock.tsx'

/** So often it is asked how far a clock on its way has come. */
const lookMs = 400

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const found = useObject(['test_clock', id], (api, signal) => api.testClocks.get(id, { signal }), {
    refetchInterval: ({ status }) => status === 'advancing' && lookMs,
  })
  return (
    <PageLoaded of={found} title="Test clock">
      {(clock) => <Shown clock={clock} />}
    </PageLoaded>
  )
}

function useSubscriptionsOn({ id, now_at, actions }: TestClock) {
  return useObject<readonly Subscription[]>(['subscription', 'on clock', id, now_at, actions], (api) =>
    api.subscriptions.list({ test_clock_id: id }).all({ max: 20 }),
  )
}

function Shown({ clock }: { clock: TestClock }) {
  const [isDeleting, setDeleting] = useState(false)
  const may = useMay()
  const subscriptions = useSubscriptionsOn(clock)
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Test clocks', to: '/test-clocks' }, { text: clock.id }]}
        title={clock.name ?? 'Test clock'}
        beside={<Status of={clock.status} />}
        actions={
          <Button look="danger" refused={may('test_clocks.delete')} onClick={() => setDeleting(true)}>
            Delete…
          </Button>
        }
      >
        <div className="mt-2">
          <Sentence>{`It is ${dateTimeText(clock.now_at, true)} UTC on this clock. ${clock.actions.toLocaleString('en')} things have happened by themselves.`}</Sentence>
        </div>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {clock.failure !== null && (
          <Banner tone="danger">
            It stands where something failed: {clock.failure}. Look at it, and move the clock once more.
          </Banner>
        )}
        <Advance clock={clock} subscriptions={subscriptions.data ?? []} />
        <Loaded of={subscriptions}>
          {(all) => (
            <>
              {all.length === 0 && <NobodyHere clock={clock} />}
              {all.map((subscription) => (
                <YearOn key={subscription.id} subscription={subscription} clock={clock} />
              ))}
            </>
          )}
        </Loaded>
        <OnClock subscriptions={subscriptions.data ?? []} />
        <ClockLog clock={clock} />
      </div>
      {isDeleting && <DeleteClock clock={clock} close={() => setDeleting(false)} />}
    </>
  )
}

function YearOn({ subscription, clock }: { subscription: Subscription; clock: TestClock }) {
  const { data: customer } = useCustomer(subscription.customer_id)
  const title = customer === undefined ? 'Year' : `The year of ${nameOfCustomer(customer)}`
  return <Year subscription={subscription} title={title} at={clock.now_at} />
}

function NobodyHere({ clock }: { clock: TestClock }) {
  return (
    <Panel title="Year">
      <Empty title="Nobody lives on this clock yet.">
        <p className="mb-2">A customer is put on a clock when it is created:</p>
        <CodeBlock
          label="TypeScript"
          text={`await switchyard.customers.create({ name: 'Ada', test_clock_id: '${clock.id}' })`}
        />
      </Empty>
    </Panel>
  )
}

function DeleteClock({ clock: { id }, close }: { clock: TestClock; close: () => void }) {
  const api = useApi()
  const may = useMay()
  const go = useGo()
  const reread = useReread()
  return (
    <ActionDialog
      title="Delete this clock"
      intro="It stops for good. What lived on it stays as it is, and nothing happens to it any more."
      submit="Delete the clock"
      danger
      refused={may('test_clocks.delete')}
      call={{
        method: 'DELETE',
        path: `/test-clocks/${id}`,
        sdk: { method: 'testClocks.delete', args: [id] },
      }}
      run={async () => {
        await api.testClocks.delete(id)
        go('/test-clocks')
        await reread('test_clock')
      }}
      done="The clock is deleted."
      onDone={close}
      onCancel={close}
    />
  )
}
