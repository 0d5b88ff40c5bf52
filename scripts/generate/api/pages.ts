// `docs/reference/api`: a page for each resource, with its objects and its operations, and the index of them.

import { cell, memberHead, memberRows } from '../members.ts'
import { type Schema, sameSchema } from '../sdk-schema.ts'
import {
  type ApiDocument,
  type ApiEndpoint,
  type Components,
  entryOf,
  nameOf,
  operationsIn,
  successesOf,
} from './document.ts'
import { anchorOf, createPageState } from './page-state.ts'
import { type PageContext, sectionOf } from './section.ts'

type Page = { readonly tag: string; readonly file: string; readonly operations: readonly ApiEndpoint[] }
type PageOfObject = ReadonlyMap<string, string>

/** Path under docs/reference -> text. */
export function renderApiPages(openApiDocument: object): Map<string, string> {
  const document = openApiDocument as ApiDocument
  const pages = pagesOf(document)
  const owners = assignObjects(pages, document.components.schemas)
  const commonCodes = commonCodesOf(pages)
  const texts = pages.map((page) => {
    const text = pageText(page, document, { owners, commonCodes })
    return [`api/${page.file}`, text] as const
  })
  return new Map([['api/README.md', indexText(pages, document, commonCodes)], ...texts])
}

function pagesOf(document: ApiDocument): Page[] {
  const groups = Map.groupBy(operationsIn(document), ({ operation }) => operation.tags[0] ?? '')
  const names = document.tags.map(({ name }) => name)
  const inOrder = [...groups].toSorted(([a], [b]) => names.indexOf(a) - names.indexOf(b))
  return inOrder.map(([tag, operations]) => ({
    tag,
    file: `${tag.toLowerCase().replaceAll(' ', '-')}.md`,
    operations,
  }))
}

/**
 * The page that describes an object: the page with its name if one of its operations returns it, otherwise
 * the first page that returns it, or the first that returns an object containing it.
 */
function assignObjects(pages: readonly Page[], components: Components): PageOfObject {
  const returned = pages.flatMap(({ file, operations }) =>
    operations
      .flatMap(({ operation }) => successesOf(operation))
      .flatMap(([, schema]) => nameOf(entryOf(schema ?? {})) ?? [])
      .map((name) => ({ file, name })),
  )
  const nested = returned.flatMap(({ file, name }) =>
    namesIn(components[name] ?? {}, components).map((inner) => ({ file, name: inner })),
  )
  const owners = new Map<string, string>()
  const sameName = returned.filter(({ file, name }) => file === fileNameOf(name))
  for (const { file, name } of [...sameName, ...returned, ...nested])
    if (!owners.has(name)) owners.set(name, file)
  return owners
}

/** The file name of the resource of an object: `PaymentRoute` has `payment-routes.md`. */
function fileNameOf(object: string): string {
  const kebab = object.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
  return `${kebab.endsWith('y') ? `${kebab.slice(0, -1)}ie` : kebab}s.md`
}

/** The objects that a schema refers to, at any depth. */
function namesIn(schema: Schema, components: Components): string[] {
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])]
  return inner.flatMap((member) => {
    const name = nameOf(member)
    if (name === null) return namesIn(member, components)
    return [name, ...namesIn(components[name] ?? {}, components)]
  })
}

/** The error codes that all operations of a kind share, listed once. */
type CommonCodes = { readonly all: string[]; readonly writing: string[]; readonly keyed: string[] }

function commonCodesOf(pages: readonly Page[]): CommonCodes {
  const operations = pages.flatMap((page) => page.operations)
  const isKeyed = ({ operation }: ApiEndpoint) =>
    operation.parameters.some(({ name }) => name === 'Idempotency-Key')
  const all = sharedCodes(operations)
  const writing = sharedCodes(operations.filter(({ method }) => method !== 'GET'))
  const keyed = sharedCodes(operations.filter(isKeyed))
  return {
    all,
    writing: writing.filter((code) => !all.includes(code)),
    keyed: keyed.filter((code) => !writing.includes(code)),
  }
}

function sharedCodes(operations: readonly ApiEndpoint[]): string[] {
  const codes = operations.map(({ operation }) =>
    Object.values(operation.responses).flatMap((response) => response['x-codes'] ?? []),
  )
  return (codes[0] ?? []).filter((code) => codes.every((others) => others.includes(code)))
}

type SharedContext = { readonly owners: PageOfObject; readonly commonCodes: CommonCodes }

function pageText(page: Page, document: ApiDocument, { owners, commonCodes }: SharedContext): string {
  const components = document.components.schemas
  const linkTo = (name: string) => {
    const file = owners.get(name)
    const anchor = `#the-${name.toLowerCase()}-object`
    return file === undefined ? `\`${name}\`` : `[${name}](${file === page.file ? '' : file}${anchor})`
  }
  const context: PageContext = {
    components,
    linkTo,
    pageState: createPageState(),
    commonCodes: new Set(Object.values(commonCodes).flat()),
  }
  const about = document.tags.find(({ name }) => name === page.tag)?.description ?? ''
  const names = [...owners].filter(([, file]) => file === page.file).map(([name]) => name)
  const rows = page.operations.map(
    ({ method, path, operation }) =>
      `| [${operation.summary}](#${anchorOf(operation.summary)}) | \`${method} ${path}\` |`,
  )
  const parts = [
    `# ${page.tag}`,
    about,
    `| Operation | |\n|---|---|\n${rows.join('\n')}`,
    ...names.map((name) => objectSection(name, names, context)),
    ...page.operations.map((endpoint) => sectionOf(endpoint, context)),
    '[All resources](README.md)',
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function objectSection(name: string, names: readonly string[], context: PageContext): string {
  const { components, linkTo, pageState } = context
  const schema = components[name] ?? {}
  const base = names.find((other) => other !== name && isPartOf(components[other] ?? {}, schema))
  const ownSchema = base === undefined ? schema : without(schema, components[base] ?? {})
  const heading = `The ${name} object`
  const parts = [
    `## ${heading}`,
    schema.description ?? '',
    base === undefined ? '' : `All fields of ${linkTo(base)}, plus:`,
    `${memberHead}\n${memberRows(ownSchema, { linkTo, describedAt: pageState.membersFor(heading) }).join('\n')}`,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Whether `whole` has all members of `part`, and more. */
function isPartOf({ properties: part = {} }: Schema, { properties: whole = {} }: Schema): boolean {
  const names = Object.keys(part)
  const isSmaller = names.length > 2 && names.length < Object.keys(whole).length
  return isSmaller && names.every((name) => sameSchema(part[name], whole[name]))
}

function without(schema: Schema, { properties: baseMembers = {} }: Schema): Schema {
  const members = Object.entries(schema.properties ?? {}).filter(([name]) => !(name in baseMembers))
  return { ...schema, properties: Object.fromEntries(members) }
}

function indexText(pages: readonly Page[], document: ApiDocument, commonCodes: CommonCodes): string {
  const sections = document['x-tagGroups'].map(({ name, tags }) => {
    const rows = pages
      .filter(({ tag }) => tags.includes(tag))
      .map(({ tag, file, operations }) => {
        const about = document.tags.find(({ name: tagName }) => tagName === tag)?.description ?? ''
        return `| [${tag}](${file}) | ${cell(firstSentence(about))} | ${operations.length} |`
      })
    return `### ${name}\n\n| Resource | Description | Operations |\n|---|---|---|\n${rows.join('\n')}`
  })
  const linkCodes = (codes: readonly string[]) =>
    codes.map((code) => `[\`${code}\`](../errors/${code}.md)`).join(', ')
  return `# API

All operations, by area and resource. The [OpenAPI document](../../../openapi.json) contains the same information; the server serves it at \`/openapi.json\`. Every call requires an [API token](../../guides/tokens-and-roles.md). The examples use a test token in \`$TEST_TOKEN\` and the base URL of the test environment in \`$TEST_URL\`. With \`npm run dev\`, the base URL is \`http://127.0.0.1:8081\`.

## Resources

${sections.join('\n\n')}

## In TypeScript

The TypeScript examples use this client of the [SDK](../../guides/sdk.md):

\`\`\`ts
import { Switchyard } from '@switchyard/sdk'

const sy = new Switchyard({ token: process.env.TEST_TOKEN, baseUrl: process.env.TEST_URL })
\`\`\`

## Headers

| Header | Description |
|---|---|
| \`Authorization\` | \`Bearer\` followed by the API token. |
| \`Content-Type\` | \`application/json\`, for requests with a body. |
| \`Idempotency-Key\` | Unique key of your choice, so that a request can be retried safely. See [Idempotency](../../guides/idempotency.md) |
| \`Switchyard-Version\` | API version of the response. Default: the version of the workspace. See [Versions](../../guides/versions.md) |

Every response has a \`Request-Id\` header. Use it to [look up the request](requests.md#get-an-api-request) in the request log.

## Common errors

Every operation can return these errors: ${linkCodes(commonCodes.all)}.

Operations that create or change something can also return ${linkCodes(commonCodes.writing)}. Operations that accept an \`Idempotency-Key\` can also return ${linkCodes(commonCodes.keyed)}.

[Errors](../../guides/errors.md) explains how to handle them.
`
}

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text
}
