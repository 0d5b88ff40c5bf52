// Replaces references to shared parameters, error responses and request schemas in the OpenAPI document with their
// targets, which makes code that reads single operations simpler. References to the schemas of objects stay, because
// the names of objects are needed.

type Json = { readonly [member: string]: unknown }
type Reference = { readonly $ref: string }
type Response = Json & { readonly 'x-codes'?: readonly string[] }
type Operation = Json & {
  readonly parameters?: readonly Json[]
  readonly requestBody?: Json
  readonly responses: { readonly [status: string]: Json }
  readonly 'x-codes'?: { readonly [status: string]: readonly string[] }
}
type Document = Json & {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly components: Json & { readonly schemas: { readonly [name: string]: Json } }
}

export function followReferences(openApiDocument: object): object {
  const document = openApiDocument as Document
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        inlineSchemas(resolveOperation(operation, document), document),
      ]),
    ),
  ])
  const objects = Object.entries(document.components.schemas).filter(([, schema]) =>
    isApiObjectSchema(schema),
  )
  return {
    ...document,
    paths: Object.fromEntries(paths),
    components: { ...document.components, schemas: inlineSchemas(Object.fromEntries(objects), document) },
  }
}

/** Adds the error codes of each response: those of the shared response and those of the operation. */
function resolveOperation({ 'x-codes': ownCodes = {}, ...operation }: Operation, document: Document): Json {
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    if (!isReference(response)) return [status, response]
    const shared = targetOf(response, document) as Response
    return [status, { ...shared, 'x-codes': [...(shared['x-codes'] ?? []), ...(ownCodes[status] ?? [])] }]
  })
  return {
    ...operation,
    parameters: (operation.parameters ?? []).map((parameter) =>
      isReference(parameter) ? targetOf(parameter, document) : parameter,
    ),
    responses: Object.fromEntries(responses),
  }
}

/** Members next to a reference replace those of its target. */
function inlineSchemas(value: unknown, document: Document): unknown {
  if (Array.isArray(value)) return value.map((entry) => inlineSchemas(entry, document))
  if (typeof value !== 'object' || value === null) return value
  if (isReference(value) && value.$ref.startsWith('#/components/schemas/')) {
    const { $ref, ...siblings } = value
    const target = targetOf({ $ref }, document)
    return isApiObjectSchema(target) ? value : inlineSchemas({ ...target, ...siblings }, document)
  }
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, inlineSchemas(inner, document)]),
  )
}

/**
 * Whether this is the schema of an API object. These are open, because objects may get new members; request schemas are
 * closed.
 */
function isApiObjectSchema({ properties, additionalProperties }: Json): boolean {
  return properties !== undefined && additionalProperties !== false
}

function isReference(value: object): value is Reference {
  return typeof (value as Partial<Reference>).$ref === 'string'
}

function targetOf({ $ref }: Reference, { components }: Document): Json {
  const [kind = '', name = ''] = $ref.replace('#/components/', '').split('/')
  const target = (components[kind] as { readonly [name: string]: Json } | undefined)?.[name]
  if (target === undefined) throw new Error(`${$ref} is not in the document.`)
  return target
}
