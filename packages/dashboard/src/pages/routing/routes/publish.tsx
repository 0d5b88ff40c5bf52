/** The review before publishing: changes and lint findings. Errors prevent publishing. */
import type { PaymentRoute } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { countText } from '../../../format/text.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { CheckField } from '../../../ui/fields.tsx'
import { Diff } from './diff.tsx'
import { Findings, type Lint } from './findings.tsx'
import { locationOf } from './incomplete-parts.ts'

export function PublishDialog(props: { route: PaymentRoute; lint: Lint; close: () => void }) {
  const { route, lint, close } = props
  const { id, revision, latest_revision: latest } = route
  const [makesDefault, setMakesDefault] = useState(false)
  const blockedReason = publishBlockedReason(lint)
  return (
    <RevisionDialog
      route={route}
      close={close}
      number={latest}
      title={`Publish revision ${latest}`}
      submit={makesDefault ? 'Publish and make default' : `Publish revision ${latest}`}
      successMessage={
        makesDefault
          ? `Revision ${latest} published. The route is now the default.`
          : publishedText(route, latest)
      }
      blockedReason={blockedReason}
      makesDefault={makesDefault}
    >
      {!route.is_default && (
        <CheckField
          label="Set as default route"
          hint="Otherwise, only payments that name this route use it."
          checked={makesDefault}
          onChange={setMakesDefault}
        />
      )}
      <section className="grid gap-2">
        <h3 className="font-bold">Changes</h3>
        {revision === null ? (
          <p className="text-ink2">This is the first published revision of this route.</p>
        ) : (
          <Diff routeId={id} revision={latest} against={revision} />
        )}
      </section>
      <section className="grid gap-2">
        <h3 className="font-bold">Lint results</h3>
        {lint.findings.length === 0 && blockedReason === null && <p className="text-success">No issues.</p>}
        <Findings findings={lint.findings} locationOf={locationOf} />
        {blockedReason !== null && <p className="font-bold text-danger">{blockedReason}</p>}
      </section>
    </RevisionDialog>
  )
}

function publishBlockedReason({ isCurrent, isFailed, errors }: Lint): string | null {
  if (!isCurrent) return 'The lint check is still running.'
  if (isFailed) return 'The lint check could not run. Reload the page to try again.'
  return errors > 0 ? `${countText(errors, 'error')} must be fixed first.` : null
}

function publishedText({ is_default }: PaymentRoute, revision: number): string {
  return is_default
    ? `Revision ${revision} published. It now routes payments.`
    : `Revision ${revision} published. It routes payments that name this route.`
}

/** Rolling back copies the older revision, so that the history is unchanged. */
export function RollBackDialog(props: { route: PaymentRoute; number: number; close: () => void }) {
  const { route, number, close } = props
  return (
    <RevisionDialog
      route={route}
      number={number}
      close={close}
      title={`Roll back to revision ${number}`}
      submit={`Roll back to revision ${number}`}
      successMessage={`Rolled back to revision ${number}`}
      blockedReason={null}
    >
      <p className="text-ink2">
        Revision {number} is copied as revision {route.latest_revision + 1} and published. Changes:
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
  successMessage: string
  blockedReason: string | null
  makesDefault?: boolean
  close: () => void
  children: React.ReactNode
}) {
  const { route, number, close, blockedReason, makesDefault = false } = props
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  // `if_revision`: nothing is published if another revision was saved in the meantime.
  const newDefault = { draft: false, is_default: true, if_revision: number }
  return (
    <ActionDialog
      title={props.title}
      intro={introOf(route.is_default || makesDefault)}
      wide
      submit={props.submit}
      disabledReason={disabledReasonFor('payment_routes.publish') ?? blockedReason}
      call={
        makesDefault
          ? {
              method: 'PUT',
              path: `/payment-routes/${route.id}`,
              body: newDefault,
              sdk: { method: 'paymentRoutes.update', args: [route.id, newDefault] },
            }
          : {
              method: 'POST',
              path: `/payment-routes/${route.id}/revisions/${number}/publish`,
              sdk: { method: 'paymentRoutes.publish', args: [route.id, number] },
            }
      }
      run={async (key) => {
        if (makesDefault) await api.paymentRoutes.update(route.id, newDefault, key)
        else await api.paymentRoutes.publish(route.id, number, key)
        await invalidate('payment_route')
      }}
      successMessage={props.successMessage}
      onDone={close}
      onCancel={close}
    >
      {props.children}
    </ActionDialog>
  )
}

function introOf(isDefault: boolean): string {
  const which = isDefault ? 'New payments' : 'New payments that name this route'
  return `${which} use this revision within two seconds. Payments in progress keep their revision.`
}
