/** What the newest revision would have done with payments that there were. It runs in the background. */
import type { PaymentRoute, RouteSimulation } from '@switchyard/sdk'
import { useState } from 'react'
import { useObject, useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { dateTimeText, dayMs, relativeText } from '../../../format/time.ts'
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
/** So often it is asked how far a run has come. */
const lookMs = 500

export function DryRun({ route }: { route: PaymentRoute }) {
  const latest = useObject<RouteSimulation | null>(
    ['payment_route', route.id, 'dry run'],
    async (api, signal) => {
      const { data } = await api.paymentRoutes.listSimulations(route.id, { limit: 1 }, { signal }).page()
      return data[0] ?? null
    },
    { refetchInterval: (newest) => newest?.status === 'running' && lookMs },
  )
  return (
    <div className="grid gap-4 p-4">
      <Start route={route} />
      <Loaded of={latest}>
        {(simulation) =>
          simulation === null ? (
            <Empty title="No dry run yet.">
              It compares where payments went with where revision {route.latest_revision} would send them. No
              provider is called.
            </Empty>
          ) : (
            <Shown simulation={simulation} />
          )
        }
      </Loaded>
    </div>
  )
}

function Start({ route }: { route: PaymentRoute }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [days, setDays] = useState('7')
  const [payments, setPayments] = useState<'route' | 'all'>(route.revision === null ? 'all' : 'route')
  const from = new Date(Math.floor(Date.now() / 60_000) * 60_000 - Number(days) * dayMs).toISOString()
  const body = { revision: route.latest_revision, history: { from_at: from, payments } }
  return (
    <ActionForm
      submit={`Try revision ${route.latest_revision} with ${ranges.find(({ value }) => value === days)?.text}`}
      refused={may('payment_routes.simulate')}
      call={{
        method: 'POST',
        path: `/payment-routes/${route.id}/simulate`,
        body,
        sdk: { method: 'paymentRoutes.simulateHistory', args: [route.id, body] },
      }}
      run={async (key) => {
        await api.paymentRoutes.simulateHistory(route.id, body, key)
        await reread('payment_route')
      }}
      onDone={() => undefined}
    >
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <RadioField legend="Payments of the last" value={days} onChange={setDays} options={ranges} />
        <RadioField
          legend="Which of them"
          value={payments}
          onChange={(value) => setPayments(value as 'all')}
          options={[
            { value: 'route', text: 'Those that this route has decided', off: route.revision === null },
            { value: 'all', text: 'All of the workspace' },
          ]}
        />
      </div>
    </ActionForm>
  )
}

function Shown({ simulation }: { simulation: RouteSimulation }) {
  const { status, revision, against, from_at, to_at, created_at } = simulation
  return (
    <section aria-label="Newest dry run" className="grid gap-4 border-t border-line pt-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-bold">
          Revision {revision} against {against === null ? 'the order of the accounts' : `revision ${against}`}
        </h3>
        <span className="inline-flex items-center gap-2 text-compact text-ink2">
          <Status of={status} /> {dateTimeText(from_at)} to {dateTimeText(to_at)} · {relativeText(created_at)}
        </span>
      </div>
      {status === 'running' && <Running simulation={simulation} />}
      {simulation.result !== null && <DryRunResult result={simulation.result} />}
    </section>
  )
}

function Running({
  simulation: { id, payment_route_id: routeId, progress },
}: {
  simulation: RouteSimulation
}) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  return (
    <ActionForm
      submit="Cancel the dry run"
      danger
      refused={may('route_simulations.cancel')}
      call={{
        method: 'POST',
        path: `/payment-routes/${routeId}/simulations/${id}/cancel`,
        sdk: { method: 'paymentRoutes.cancelSimulation', args: [routeId, id] },
      }}
      run={async (key) => {
        await api.paymentRoutes.cancelSimulation(routeId, id, key)
        await reread('payment_route')
      }}
      onDone={() => undefined}
    >
      <Progress label="Payments looked at" done={progress.done} total={progress.total} />
    </ActionForm>
  )
}
