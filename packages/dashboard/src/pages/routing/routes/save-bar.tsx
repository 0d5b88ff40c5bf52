import type { PaymentRoute } from '@switchyard/sdk'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionForm } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { Panel } from '../../../ui/panel.tsx'
import type { Definition } from './definition.ts'

/** Saves the edits as a draft, unless another revision was saved in the meantime. */
export function SaveBar(props: { route: PaymentRoute; definition: Definition; discard: () => void }) {
  const { route, definition, discard } = props
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const body = { ...definition, draft: true, if_revision: route.latest_revision }
  return (
    <Panel
      title="Unsaved changes"
      titleExtra={
        <Button compact variant="quiet" onClick={discard}>
          Discard changes
        </Button>
      }
    >
      <p className="mb-3 text-ink2">
        Saving a draft does not affect payments. It becomes revision {route.latest_revision + 1}.
      </p>
      <ActionForm
        submit="Save draft"
        disabledReason={disabledReasonFor('payment_routes.update')}
        call={{
          method: 'PUT',
          path: `/payment-routes/${route.id}`,
          body,
          sdk: { method: 'paymentRoutes.update', args: [route.id, body] },
        }}
        run={async (key) => {
          await api.paymentRoutes.update(route.id, body, key)
          await invalidate('payment_route')
        }}
        successMessage="Draft saved"
        onDone={() => undefined}
      />
    </Panel>
  )
}
