import type { Subscription, TestClock } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { countText } from '../../../format/text.ts'
import { dateTimeText } from '../../../format/time.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code.tsx'
import { useOpenPage } from '../../../ui/link.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { customerName, useCustomer } from '../names.tsx'
import { Year } from '../subscriptions/year.tsx'
import { Advance } from './advance.tsx'
import { ClockSubscriptions } from './clock-subscriptions.tsx'
import { ClockLog } from './log.tsx'

/** The polling interval while the clock is advancing. */
const pollMs = 400

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const query = useObject(['test_clock', id], (api, signal) => api.testClocks.get(id, { signal }), {
    refetchInterval: ({ status }) => status === 'advancing' && pollMs,
  })
  return (
    <PageLoaded query={query} title="Test clock">
      {(clock) => <ClockView clock={clock} />}
    </PageLoaded>
  )
}

function useClockSubscriptions({ id, now_at, actions }: TestClock) {
  return useObject<readonly Subscription[]>(['subscription', 'on clock', id, now_at, actions], (api) =>
    api.subscriptions.list({ test_clock_id: id }).all({ max: 20 }),
  )
}

function ClockView({ clock }: { clock: TestClock }) {
  const [isDeleting, setDeleting] = useState(false)
  const disabledReasonFor = useDisabledReason()
  const subscriptions = useClockSubscriptions(clock)
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Test clocks', to: '/test-clocks' }, { text: clock.id }]}
        title={clock.name ?? 'Test clock'}
        titleExtra={<Status status={clock.status} />}
        actions={
          <Button
            variant="danger"
            disabledReason={disabledReasonFor('test_clocks.delete')}
            onClick={() => setDeleting(true)}
          >
            Delete clock…
          </Button>
        }
      >
        <div className="mt-2">
          <Sentence>{`Clock time: ${dateTimeText(clock.now_at, true)} UTC. ${countText(clock.actions, 'event')}.`}</Sentence>
        </div>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {clock.failure !== null && (
          <Banner tone="danger">
            The clock stopped because of an error: {clock.failure}. Check the error, then advance the clock
            again.
          </Banner>
        )}
        <Advance clock={clock} subscriptions={subscriptions.data ?? []} />
        <Loaded query={subscriptions}>
          {(all) => (
            <>
              {all.length === 0 && <NoCustomers clock={clock} />}
              {all.map((subscription) => (
                <SubscriptionYear key={subscription.id} subscription={subscription} clock={clock} />
              ))}
            </>
          )}
        </Loaded>
        <ClockSubscriptions subscriptions={subscriptions.data ?? []} />
        <ClockLog clock={clock} />
      </div>
      {isDeleting && <DeleteClock clock={clock} close={() => setDeleting(false)} />}
    </>
  )
}

function SubscriptionYear({ subscription, clock }: { subscription: Subscription; clock: TestClock }) {
  const { data: customer } = useCustomer(subscription.customer_id)
  const title = customer === undefined ? 'Year' : `Year of ${customerName(customer)}`
  return <Year subscription={subscription} title={title} clockTime={clock.now_at} />
}

function NoCustomers({ clock }: { clock: TestClock }) {
  return (
    <Panel title="Year">
      <Empty title="No customers on this clock yet.">
        <p className="mb-2">Assign a customer to the clock when you create it:</p>
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
  const disabledReasonFor = useDisabledReason()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  return (
    <ActionDialog
      title="Delete clock"
      intro="The clock stops permanently. Its customers and their objects are kept, but nothing more happens to them."
      submit="Delete clock"
      danger
      disabledReason={disabledReasonFor('test_clocks.delete')}
      call={{
        method: 'DELETE',
        path: `/test-clocks/${id}`,
        sdk: { method: 'testClocks.delete', args: [id] },
      }}
      run={async () => {
        await api.testClocks.delete(id)
        openPage('/test-clocks')
        await invalidate('test_clock')
      }}
      successMessage="Clock deleted"
      onDone={close}
      onCancel={close}
    />
  )
}
