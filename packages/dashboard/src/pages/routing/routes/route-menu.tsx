import type { PaymentRoute, Switchyard } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import type { ApiCall } from '../../../format/call.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { useOpenPage } from '../../../ui/link.tsx'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'

type RouteAction = 'default' | 'archive' | 'delete'

export function RouteMenu({ route }: { route: PaymentRoute }) {
  const [action, setAction] = useState<RouteAction | null>(null)
  const disabledReasonFor = useDisabledReason()
  const items: MenuItem[] = []
  if (route.status === 'active')
    items.push(
      {
        text: route.is_default ? 'Remove as default…' : 'Set as default…',
        onSelect: () => setAction('default'),
        disabledReason:
          disabledReasonFor('payment_routes.update') ??
          (route.revision === null ? 'This route was never published.' : null),
      },
      {
        text: 'Archive route…',
        danger: true,
        onSelect: () => setAction('archive'),
        disabledReason:
          disabledReasonFor('payment_routes.archive') ??
          (route.is_default
            ? 'The default route cannot be archived. Set another route as default first.'
            : null),
      },
    )
  if (route.revision === null)
    items.push({
      text: 'Delete route…',
      danger: true,
      onSelect: () => setAction('delete'),
      disabledReason: disabledReasonFor('payment_routes.delete'),
    })
  if (items.length === 0) return null
  return (
    <>
      <Menu label="More actions" items={items} />
      {action !== null && <RouteActionDialog route={route} action={action} close={() => setAction(null)} />}
    </>
  )
}

type DialogPlan = {
  readonly title: string
  readonly intro: string
  readonly submit: string
  readonly successMessage: string
  readonly danger?: boolean
  readonly call: ApiCall
  readonly run: (api: Switchyard, key: { idempotencyKey: string }) => Promise<unknown>
}

function planOf({ id, is_default }: PaymentRoute, action: RouteAction): DialogPlan {
  const path = `/payment-routes/${id}`
  const body = { is_default: !is_default }
  const plans: { readonly [A in RouteAction]: DialogPlan } = {
    default: {
      title: is_default ? 'Remove as default route' : 'Set as default route',
      intro: is_default
        ? 'Payments that name no route will use the default order of the provider accounts.'
        : 'Payments that name no route will use this route.',
      submit: is_default ? 'Remove as default' : 'Set as default',
      successMessage: is_default ? 'Route is no longer the default' : 'Route is now the default',
      call: { method: 'PUT', path, body, sdk: { method: 'paymentRoutes.update', args: [id, body] } },
      run: (api, key) => api.paymentRoutes.update(id, body, key),
    },
    archive: {
      title: 'Archive route',
      intro: 'No new payments use this route. Payments that name it are rejected.',
      submit: 'Archive route',
      successMessage: 'Route archived',
      danger: true,
      call: { method: 'POST', path: `${path}/archive`, sdk: { method: 'paymentRoutes.archive', args: [id] } },
      run: (api, key) => api.paymentRoutes.archive(id, key),
    },
    delete: {
      title: 'Delete route',
      intro: 'The route was never published, so no payments depend on it.',
      submit: 'Delete route',
      successMessage: 'Route deleted',
      danger: true,
      call: { method: 'DELETE', path, sdk: { method: 'paymentRoutes.delete', args: [id] } },
      run: (api) => api.paymentRoutes.delete(id),
    },
  }
  return plans[action]
}

const operations = {
  default: 'payment_routes.update',
  archive: 'payment_routes.archive',
  delete: 'payment_routes.delete',
} as const

function RouteActionDialog({
  route,
  action,
  close,
}: {
  route: PaymentRoute
  action: RouteAction
  close: () => void
}) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  const { run, ...texts } = planOf(route, action)
  return (
    <ActionDialog
      {...texts}
      disabledReason={disabledReasonFor(operations[action])}
      run={async (key) => {
        await run(api, key)
        if (action === 'delete') openPage('/payment-routes')
        await invalidate('payment_route')
      }}
      onDone={close}
      onCancel={close}
    />
  )
}
