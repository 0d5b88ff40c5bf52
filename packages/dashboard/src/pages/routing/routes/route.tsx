import type { PaymentRoute, PaymentRouteRevision } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useObject } from '../../../api/queries.ts'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { relativeText } from '../../../format/time.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Chip } from '../../../ui/status.tsx'
import { type Definition, definitionOf, isSame } from './definition.ts'
import { useLint } from './findings.tsx'
import { RouteStatus } from './list.tsx'
import { PublishDialog } from './publish.tsx'
import { RouteMenu } from './route-menu.tsx'
import { RouteTabs } from './route-tabs.tsx'
import { RuleDiagram } from './rule-diagram.tsx'
import { type RuleSelection, Rules } from './rules.tsx'
import { SaveBar } from './save-bar.tsx'

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const query = useObject(['payment_route', id], async (api, signal) => {
    const route = await api.paymentRoutes.get(id, { signal })
    return { route, latest: await api.paymentRoutes.revision(id, route.latest_revision, { signal }) }
  })
  return (
    <PageLoaded query={query} title="Route">
      {/* A new revision resets the editor: unsaved edits belong to the previous revision. */}
      {({ route, latest }) => <Editor key={`${id} ${latest.number}`} route={route} latest={latest} />}
    </PageLoaded>
  )
}

type RouteAndRevision = { readonly route: PaymentRoute; readonly latest: PaymentRouteRevision }

function Editor({ route, latest }: RouteAndRevision) {
  const saved = definitionOf(latest)
  const [definition, setDefinition] = useState<Definition>(saved)
  const [selection, select] = useState<RuleSelection>(null)
  const [isPublishing, setPublishing] = useState(false)
  const disabledReasonFor = useDisabledReason()
  const lint = useLint(definition)
  const isDirty = !isSame(saved, definition)
  const disabledReason =
    disabledReasonFor('payment_routes.update') ??
    (route.status === 'archived' ? 'The route is archived.' : null)
  const published = route.revision === null ? null : definitionOf(route)
  return (
    <>
      <RouteHead
        route={route}
        latest={latest}
        isDirty={isDirty}
        disabledReason={disabledReason}
        review={() => setPublishing(true)}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {route.status === 'active' && route.revision !== null && !route.is_default && (
          <Banner>
            This route is published, but it is not the default: only payments that name it use it. To use it
            for all other payments, choose “Set as default” in the menu.
          </Banner>
        )}
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-[minmax(0,1fr)_400px]">
          <Rules
            definition={definition}
            published={published}
            lint={lint}
            disabledReason={disabledReason}
            selection={selection}
            select={select}
            onChange={setDefinition}
          />
          <div className="grid min-w-0 content-start gap-4">
            <RuleDiagram definition={definition} selection={selection} />
            {isDirty && (
              <SaveBar
                route={route}
                definition={definition}
                discard={() => {
                  select(null)
                  setDefinition(saved)
                }}
              />
            )}
            <RouteSettings definition={definition} disabledReason={disabledReason} onChange={setDefinition} />
          </div>
        </div>
        <RouteTabs
          route={route}
          latest={latest}
          definition={definition}
          lint={lint}
          disabledReason={disabledReason}
          onChange={setDefinition}
        />
      </div>
      {isPublishing && <PublishDialog route={route} lint={lint} close={() => setPublishing(false)} />}
    </>
  )
}

function RouteSettings(props: {
  definition: Definition
  disabledReason: string | null
  onChange: (definition: Definition) => void
}) {
  const { definition, disabledReason, onChange } = props
  const { limits } = definition
  return (
    <Panel title="Route">
      <div className="grid gap-2">
        {disabledReason === null && (
          <TextField
            label="Route name"
            value={definition.name}
            onChange={(name) => onChange({ ...definition, name })}
          />
        )}
        <p className="text-compact text-ink2">
          {limits === null
            ? 'No currency is guaranteed to have an account.'
            : `An account is guaranteed for ${limits.currencies.map((code) => code.toUpperCase()).join(', ')}. The lint check verifies this.`}
        </p>
      </div>
    </Panel>
  )
}

type HeadProps = RouteAndRevision & { isDirty: boolean; disabledReason: string | null; review: () => void }

function RouteHead({ route, latest, isDirty, disabledReason, review }: HeadProps) {
  const disabledReasonFor = useDisabledReason()
  const isDraft = route.latest_revision !== route.revision
  const publishDisabledReason = isDirty
    ? 'Save the draft first.'
    : isDraft
      ? null
      : 'The latest revision is already published.'
  return (
    <PageHead
      crumbs={[{ text: 'Routes', to: '/payment-routes' }, { text: route.id }]}
      title={latest.name}
      titleExtra={
        <>
          {route.is_default && <Chip tone="info" text="Default" />}
          <RouteStatus route={route} />
          {isDirty && <Chip tone="warning" text="Not saved" />}
          <span className="text-ink2">edited {relativeText(latest.created_at)}</span>
        </>
      }
      actions={
        <>
          <Button
            variant="primary"
            disabledReason={
              disabledReasonFor('payment_routes.publish') ?? disabledReason ?? publishDisabledReason
            }
            onClick={review}
          >
            Review and publish…
          </Button>
          <RouteMenu route={route} />
        </>
      }
    />
  )
}
