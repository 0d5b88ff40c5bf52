/** Before a revision decides about payments: what it changes, and what is wrong with it. Errors stop it. */
import type { PaymentRoute } from '@switchyard/sdk'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { counted } from '../../../format/words.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Diff } from './diff.tsx'
import { Findings, type Lint } from './findings.tsx'
import { whereOf } from './unfinished.ts'

export function PublishDialog(props: { route: PaymentRoute; lint: Lint; close: () => void }) {
  const { route, lint, close } = props
  const { id, revision, latest_revision: latest } = route
  const stop = lint.errors > 0 ? `${counted(lint.errors, 'error')} must be repaired first.` : null
  const waits = lint.isSettled ? stop : 'It is being checked.'
  return (
    <RevisionDialog
      {...{ route, close }}
      number={latest}
      title={`Publish revision ${latest}`}
      submit={`Publish revision ${latest}`}
      done={`Revision ${latest} decides about payments now.`}
      stop={waits}
    >
      <section className="grid gap-2">
        <h3 className="font-bold">What changes</h3>
        {revision === null ? (
          <p className="text-ink2">It is the first revision of this route that is published.</p>
        ) : (
          <Diff routeId={id} revision={latest} against={revision} />
        )}
      </section>
      <section className="grid gap-2">
        <h3 className="font-bold">What the lint says</h3>
        {lint.findings.length === 0 ? (
          <p className="text-clear">Nothing is wrong with it.</p>
        ) : (
          <Findings of={lint.findings} whereOf={whereOf} />
        )}
        {stop !== null && <p className="font-bold text-danger">{stop}</p>}
      </section>
    </RevisionDialog>
  )
}

/** An older revision than the published one is copied, so history stays as it was. */
export function RollBackDialog(props: { route: PaymentRoute; number: number; close: () => void }) {
  const { route, number, close } = props
  return (
    <RevisionDialog
      {...{ route, number, close }}
      title={`Roll back to revision ${number}`}
      submit={`Roll back to revision ${number}`}
      done={`It decides as revision ${number} did.`}
      stop={null}
    >
      <p className="text-ink2">
        Revision {number} is copied as revision {route.latest_revision + 1} and published. This is what
        changes:
      </p>
      {route.revision !== null && <Diff routeId={route.id} revision={number} against={route.revision} />}
    </RevisionDialog>
  )
}

function RevisionDialog(props: {
  route: PaymentRoute
  number: number
  title: string
  submit: string
  done: string
  stop: string | null
  close: () => void
  children: React.ReactNode
}) {
  const { route, number, close, stop } = props
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  return (
    <ActionDialog
      title={props.title}
      intro="In every process within two seconds, new payments are decided by it. Payments that have begun keep to theirs."
      wide
      submit={props.submit}
      refused={may('payment_routes.publish') ?? stop}
      call={{
        method: 'POST',
        path: `/payment-routes/${route.id}/revisions/${number}/publish`,
        sdk: { method: 'paymentRoutes.publish', args: [route.id, number] },
      }}
      run={async (key) => {
        await api.paymentRoutes.publish(route.id, number, key)
        await reread('payment_route')
      }}
      done={props.done}
      onDone={close}
      onCancel={close}
    >
      {props.children}
    </ActionDialog>
  )
}
