/** A dry run: how the latest revision would have routed past payments. It runs in the background. */
import type { PaymentRoute, RouteSimulation } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { dateTimeText, dayMs, relativeText } from '../../../format/time.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { ActionForm } from '../../../ui/action.tsx'
import { RadioField } from '../../../ui/fields.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { DryRunResult } from './dry-run-result.tsx'

const ranges = [
  { value: '1', text: '24 hours' },
  { value: '7', text: '7 days' },
  { value: '30', text: '30 days' },
] as const
/** The polling interval while a dry run is running. */
const pollMs = 500

export function DryRun({ route }: { route: PaymentRoute }) {
  const latest = useObject<RouteSimulation | null>(
    ['payment_route', route.id, 'dry run'],
    async (api, signal) => {
      const { data } = await api.paymentRoutes.listSimulations(route.id, { limit: 1 }, { signal }).page()
      return data[0] ?? null
    },
    { refetchInterval: (newest) => newest?.status === 'running' && pollMs },
  )
  return (
    <div className="grid gap-4 p-4">
      <StartForm route={route} />
      <Loaded query={latest}>
        {(simulation) =>
          simulation === null ? (
            <Empty title="No dry runs yet.">
              A dry run compares where payments went with where revision {route.latest_revision} would send
              them. No provider is called.
            </Empty>
          ) : (
            <LatestDryRun simulation={simulation} />
          )
        }
      </Loaded>
    </div>
  )
}

function StartForm({ route }: { route: PaymentRoute }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [days, setDays] = useState('7')
  // For the default route both comparisons are the same.
  const [against, setAgainst] = useState<'default' | 'published'>(route.is_default ? 'published' : 'default')
  const [payments, setPayments] = useState<'route' | 'all'>(route.is_default ? 'route' : 'all')
  const from = new Date(Math.floor(Date.now() / 60_000) * 60_000 - Number(days) * dayMs).toISOString()
  const body = {
    revision: route.latest_revision,
    ...(against === 'default' ? { against_default: true } : {}),
    history: { from_at: from, payments },
  }
  return (
    <ActionForm
      submit={`Run revision ${route.latest_revision} on ${ranges.find(({ value }) => value === days)?.text}`}
      disabledReason={disabledReasonFor('payment_routes.simulate')}
      call={{
        method: 'POST',
        path: `/payment-routes/${route.id}/simulate`,
        body,
        sdk: { method: 'paymentRoutes.simulateHistory', args: [route.id, body] },
      }}
      run={async (key) => {
        await api.paymentRoutes.simulateHistory(route.id, body, key)
        await invalidate('payment_route')
      }}
      onDone={() => undefined}
    >
      <div className="grid items-start gap-4 sm:grid-cols-2 lg:grid-cols-3">
        <RadioField legend="Payments from the last" value={days} onChange={setDays} options={ranges} />
        <RadioField
          legend="Include"
          value={payments}
          onChange={(value) => setPayments(value as 'all')}
          options={[
            { value: 'route', text: 'Payments routed by this route', disabled: route.revision === null },
            { value: 'all', text: 'All payments of the workspace' },
          ]}
        />
        {!route.is_default && (
          <RadioField
            legend="Compare with"
            value={against}
            onChange={(value) => setAgainst(value as 'default')}
            options={[
              { value: 'default', text: 'The current default route' },
              {
                value: 'published',
                text: 'The published revision of this route',
                disabled: route.revision === null,
              },
            ]}
          />
        )}
      </div>
    </ActionForm>
  )
}

function LatestDryRun({ simulation }: { simulation: RouteSimulation }) {
  const { status, revision, from_at, to_at, created_at } = simulation
  return (
    <section aria-label="Latest dry run" className="grid gap-4 border-t border-line pt-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-bold">
          Revision {revision} vs. <Against simulation={simulation} />
        </h3>
        <span className="inline-flex items-center gap-2 text-compact text-ink2">
          <Status status={status} /> {dateTimeText(from_at)} to {dateTimeText(to_at)} ·{' '}
          {relativeText(created_at)}
        </span>
      </div>
      {status === 'running' && <RunningDryRun simulation={simulation} />}
      {simulation.result !== null && <DryRunResult result={simulation.result} />}
    </section>
  )
}

function Against({ simulation }: { simulation: RouteSimulation }) {
  const { against, against_payment_route_id: routeId, payment_route_id: ownId } = simulation
  if (against === null || routeId === null) return <>the default order</>
  if (routeId === ownId) return <>revision {against}</>
  return (
    <>
      revision {against} of the default route <ObjectLink id={routeId} />
    </>
  )
}

function RunningDryRun({
  simulation: { id, payment_route_id: routeId, progress },
}: {
  simulation: RouteSimulation
}) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  return (
    <ActionForm
      submit="Stop dry run"
      danger
      disabledReason={disabledReasonFor('route_simulations.cancel')}
      call={{
        method: 'POST',
        path: `/payment-routes/${routeId}/simulations/${id}/cancel`,
        sdk: { method: 'paymentRoutes.cancelSimulation', args: [routeId, id] },
      }}
      run={async (key) => {
        await api.paymentRoutes.cancelSimulation(routeId, id, key)
        await invalidate('payment_route')
      }}
      onDone={() => undefined}
    >
      <Progress label="Payments evaluated" done={progress.done} total={progress.total} />
    </ActionForm>
  )
}
