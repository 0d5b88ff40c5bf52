import type { PaymentRoute, Switchyard } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import type { ApiCall } from '../../../format/call.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { useGo } from '../../../ui/link.tsx'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'

type Act = 'default' | 'archive' | 'delete'

export function RouteMenu({ route }: { route: PaymentRoute }) {
  const [act, setAct] = useState<Act | null>(null)
  const may = useMay()
  const items: MenuItem[] = []
  if (route.status === 'active')
    items.push(
      {
        text: route.is_default ? 'Make it no default…' : 'Make it the default…',
        onSelect: () => setAct('default'),
        refused: may('payment_routes.update') ?? (route.revision === null ? 'It was never published.' : null),
      },
      {
        text: 'Archive…',
        danger: true,
        onSelect: () => setAct('archive'),
        refused:
          may('payment_routes.archive') ??
          (route.is_default ? 'The default cannot be archived. Make another route the default first.' : null),
      },
    )
  if (route.revision === null)
    items.push({
      text: 'Delete…',
      danger: true,
      onSelect: () => setAct('delete'),
      refused: may('payment_routes.delete'),
    })
  if (items.length === 0) return null
  return (
    <>
      <Menu label="More actions" items={items} />
      {act !== null && <RouteAct route={route} act={act} close={() => setAct(null)} />}
    </>
  )
}

type Plan = {
  readonly title: string
  readonly intro: string
  readonly submit: string
  readonly done: string
  readonly danger?: boolean
  readonly call: ApiCall
  readonly run: (api: Switchyard, key: { idempotencyKey: string }) => Promise<unknown>
}

function planOf({ id, is_default }: PaymentRoute, act: Act): Plan {
  const path = `/payment-routes/${id}`
  const body = { is_default: !is_default }
  const plans: { readonly [A in Act]: Plan } = {
    default: {
      title: is_default ? 'Make it no default' : 'Make it the default',
      intro: is_default
        ? 'Payments that name no route are made by the order of the accounts from then on.'
        : 'Payments that name no route are made by this one from then on.',
      submit: is_default ? 'Make it no default' : 'Make it the default',
      done: is_default ? 'It is the default no more.' : 'It is the default.',
      call: { method: 'PUT', path, body, sdk: { method: 'paymentRoutes.update', args: [id, body] } },
      run: (api, key) => api.paymentRoutes.update(id, body, key),
    },
    archive: {
      title: 'Archive this route',
      intro: 'No new payments are made by it. Payments that name it are refused.',
      submit: 'Archive the route',
      done: 'The route is archived.',
      danger: true,
      call: { method: 'POST', path: `${path}/archive`, sdk: { method: 'paymentRoutes.archive', args: [id] } },
      run: (api, key) => api.paymentRoutes.archive(id, key),
    },
    delete: {
      title: 'Delete this route',
      intro: 'It was never published, so nothing depends on it.',
      submit: 'Delete the route',
      done: 'The route is deleted.',
      danger: true,
      call: { method: 'DELETE', path, sdk: { method: 'paymentRoutes.delete', args: [id] } },
      run: (api) => api.paymentRoutes.delete(id),
    },
  }
  return plans[act]
}

const operations = {
  default: 'payment_routes.update',
  archive: 'payment_routes.archive',
  delete: 'payment_routes.delete',
} as const

function RouteAct({ route, act, close }: { route: PaymentRoute; act: Act; close: () => void }) {
  const api = useApi()
  const may = useMay()
  const go = useGo()
  const reread = useReread()
  const { run, ...texts } = planOf(route, act)
  return (
    <ActionDialog
      {...texts}
      refused={may(operations[act])}
      run={async (key) => {
        await run(api, key)
        if (act === 'delete') go('/payment-routes')
        await reread('payment_route')
      }}
      onDone={close}
      onCancel={close}
    />
  )
}
