// The one of this browser's spaces that a worker holds: the page names its worker by it (web/src/space.rs).

/** Sample lessons with a simulated history, in a store of its own that is never synced. */
export const isDemo = self.name === "demo";

/** The store's database. */
export const database = isDemo ? "lessonloop-demo" : "lessonloop";

/** The channel of the tabs that show this space. */
export const channel = isDemo ? "lessonloop-demo" : "lessonloop";
