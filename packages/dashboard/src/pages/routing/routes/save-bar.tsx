import type { PaymentRoute } from '@switchyard/sdk'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { ActionForm } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { Panel } from '../../../ui/panel.tsx'
import type { Definition } from './definition.ts'

/** Saves what was edited as a draft. If somebody else has saved another one meanwhile, nothing is changed. */
export function SaveBar(props: { route: PaymentRoute; definition: Definition; discard: () => void }) {
  const { route, definition, discard } = props
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const body = { ...definition, draft: true, if_revision: route.latest_revision }
  return (
    <Panel
      title="Not saved yet"
      beside={
        <Button compact look="quiet" onClick={discard}>
          Discard
        </Button>
      }
    >
      <p className="mb-3 text-ink2">
        A draft changes nothing for payments. It becomes revision {route.latest_revision + 1}.
      </p>
      <ActionForm
        submit="Save as draft"
        refused={may('payment_routes.update')}
        call={{
          method: 'PUT',
          path: `/payment-routes/${route.id}`,
          body,
          sdk: { method: 'paymentRoutes.update', args: [route.id, body] },
        }}
        run={async (key) => {
          await api.paymentRoutes.update(route.id, body, key)
          await reread('payment_route')
        }}
        done="The draft is saved."
        onDone={() => undefined}
      />
    </Panel>
  )
}
