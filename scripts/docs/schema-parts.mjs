/** Reads the schemas of one OpenAPI document: what a value looks like, and which fields it has. */
export class SchemaParts {
  #components;

  constructor(document) {
    this.#components = document.components.schemas;
  }

  /** @returns the schema itself, or the component that it refers to */
  resolve(schema) {
    const name = /^#\/components\/schemas\/(\w+)$/.exec(schema.$ref ?? '')?.[1];
    return name === undefined ? schema : this.resolve(this.#components[name]);
  }

  /** @returns the forms that a value may have, each with a title of its own; the schema itself where it has one form */
  forms(schema) {
    const resolved = this.resolve(schema);
    const isNullable = resolved.anyOf?.some((form) => form.type === 'null');
    if (resolved.anyOf === undefined || isNullable) return [resolved];
    return resolved.anyOf.flatMap((form) => this.forms(form));
  }

  /** @returns a value that the schema accepts, made of the examples of its parts */
  example(schema) {
    const resolved = this.resolve(schema);
    if (resolved.type === 'object' && resolved.properties !== undefined) {
      const pairs = Object.entries(resolved.properties).map(([name, part]) => [name, this.example(part)]);
      return Object.fromEntries(pairs);
    }
    if (resolved.type === 'array' && !resolved.examples?.[0]?.length) return [this.example(resolved.items)];
    if (resolved.examples !== undefined) return resolved.examples[0];
    if (resolved.const !== undefined) return resolved.const;
    if (resolved.type === 'object') return { production: this.example(resolved.additionalProperties) };
    return this.example(this.forms(resolved)[0]);
  }

  /** @returns the fields of a value, those of parts after them: `{path, type, description, isRequired}` */
  fields(schema, above = '') {
    const resolved = this.resolve(schema);
    if (resolved.type === 'array') return this.fields(resolved.items, `${above}[]`);
    if (resolved.additionalProperties) {
      return this.fields(resolved.additionalProperties, `${above}.<name>`);
    }
    const entries = Object.entries(resolved.properties ?? {});
    return entries.flatMap(([name, part]) => {
      const path = above === '' ? name : `${above}.${name}`;
      const field = {
        path,
        type: this.typeName(part),
        description: this.resolve(part).description ?? '',
        isRequired: resolved.required?.includes(name) ?? false,
      };
      const forms = this.forms(part);
      return [field, ...(forms.length === 1 ? this.fields(forms[0], path) : [])];
    });
  }

  /** @returns the type in a few words: `array of string`, `integer 0 to 100`, `"read" or "write"` */
  typeName(schema) {
    const resolved = this.resolve(schema);
    if (resolved.const !== undefined) return JSON.stringify(resolved.const);
    if (resolved.enum !== undefined) return resolved.enum.map((each) => JSON.stringify(each)).join(' or ');
    if (resolved.anyOf !== undefined) {
      return [...new Set(resolved.anyOf.map((form) => this.typeName(form)))].join(' or ');
    }
    if (resolved.type === 'array') return `array of ${this.typeName(resolved.items)}`;
    const { type, minimum, maximum } = resolved;
    return maximum === undefined ? type : `${type} ${minimum} to ${maximum}`;
  }
}
