// Where the page begins.

import { render } from "solid-js/web";
import { App } from "./app.tsx";
import "./style.css";

const page = document.getElementById("page");
if (page !== null) render(() => <App />, page);
