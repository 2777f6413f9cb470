/** The version of this product, shared by its packages, its documents and its client. */
export const productVersion = '0.2.0';

/** The revision of the specification that it implements (specification, "Versioning", rule 2). */
export const specificationRevision = '2.0.0';
